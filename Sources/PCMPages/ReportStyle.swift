extension ReportFrame {
  /// The style sheet of the pages, and what only reports need. Printed reports have no background colors, show the failures
  /// unfolded, and omit what is folded in tables.
  static let style = """
    \(PageAsset.styleText)
    .report main { max-width: 66rem } .report h1 { display: flex; flex-wrap: wrap; align-items: center; gap: .75rem }
    .report h1 .badge { font-size: 1rem; padding: .2rem .9rem; letter-spacing: 0 }
    .report h3 { margin: 0 0 .6rem; display: flex; flex-wrap: wrap; align-items: center; gap: .6rem }
    .kind { color: var(--soft); font-size: .8rem; letter-spacing: .06em; text-transform: uppercase; margin-bottom: .3rem }
    .report p, .report h3 { overflow-wrap: anywhere }
    .origin, .seen, .report footer { color: var(--soft) }
    .bar { display: block; width: 100%; height: .55rem; margin: 1.4rem 0 .6rem; border-radius: 4px }
    .bar rect { fill: var(--tone) } .bar .quiet { opacity: .45 }
    .counts { display: flex; flex-wrap: wrap; gap: .2rem 1.5rem; margin: 0; padding: 0; list-style: none; color: var(--soft) }
    .counts b { color: var(--tone); font-size: 1.15rem }
    .report article { border: 1px solid var(--line); border-left: 4px solid var(--tone); border-radius: 10px; padding: 1rem 1.1rem;
      margin-top: .9rem }
    .report dl { display: grid; grid-template-columns: minmax(3.6rem, max-content) minmax(0, 1fr); gap: .25rem .75rem; margin: 0 }
    .report dd { margin: 0; overflow-wrap: anywhere } .report dt { color: var(--soft) } .advice { font-weight: 600 }
    .exchange { display: grid; grid-template-columns: 1fr 1fr; gap: .5rem 1.25rem; margin-top: .75rem; padding-top: .6rem;
      border-top: 1px solid var(--line) }
    .exchange > div { min-width: 0 } .exchange span { color: var(--soft); font-size: .9em; margin-right: .3em }
    .report details { margin-top: .5rem } .report dd details { margin-top: 0 }
    .report summary { cursor: pointer; overflow-wrap: anywhere }
    .report table { border-collapse: collapse; width: 100% }
    .report th, .report td { text-align: left; vertical-align: top; padding: .6rem .8rem .6rem 0; border-bottom: 1px solid var(--line) }
    .report tr:last-child td { border-bottom: 0 } .report th { color: var(--soft); font-weight: 500; font-size: .85rem }
    .report th:first-child { width: 7.5rem } .report th:last-child { width: 11rem }
    td code { font-weight: 600 } td .exchange code { font-weight: 400 } td a { color: inherit }
    .report footer { margin-top: 2rem; font-size: .85rem }
    .steps { margin: .4rem 0 0; padding-left: 1.6rem } .steps li { margin-top: .15rem; overflow-wrap: anywhere }
    .report .timeline { overflow-x: auto; margin-top: .8rem } .report .timeline > svg { min-width: 46rem }
    .report .passed > summary { padding: .2rem 0 } .passed summary .badge { margin-right: .4rem }
    .report .passed + .passed { border-top: 1px solid var(--line); padding-top: .4rem }
    @media (max-width: 46rem) {
      .exchange { grid-template-columns: 1fr } .report th:last-child, td.origin { display: none }
      .report th:first-child { width: 6rem } .report .badge { white-space: normal }
    }
    @media print {
      :root { --ground: #fff; --paper: #fff; --mono: #fff }
      body { font-size: 10pt } .report main { max-width: none; padding: 0 } section { border: 0; padding: 0 }
      article, tr, .exchange { break-inside: avoid } pre { border: 1px solid var(--line) }
      .report .timeline > svg { min-width: 0 } h2, h3 { break-after: avoid } article summary { display: none }
      article details::details-content { content-visibility: visible; display: block } table details { display: none }
      .badge, .bar rect { print-color-adjust: exact }
    }
    """
}
