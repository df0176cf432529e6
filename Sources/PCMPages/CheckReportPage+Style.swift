extension CheckReportPage {
  /// Uses the light or dark appearance of the system. Printed pages have no background colors, show the fixes unfolded, and
  /// omit the exchanges of passed rules.
  static let style = """
    \(PagePalette.style)
    * { box-sizing: border-box }
    body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif }
    main { max-width: 62rem; margin: 0 auto; padding: 2.5rem 1.25rem }
    h1 { font-size: 2rem; line-height: 1.2; margin: 0; display: flex; flex-wrap: wrap; align-items: center; gap: .75rem;
      overflow-wrap: anywhere }
    h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem }
    h3 { font-size: 1rem; margin: 0 0 .6rem; display: flex; flex-wrap: wrap; align-items: center; gap: .6rem }
    p { margin: 0 }
    code, pre { unicode-bidi: isolate; font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .87em; overflow-wrap: anywhere }
    .kind { color: var(--soft); font-size: .8rem; letter-spacing: .06em; text-transform: uppercase; margin-bottom: .3rem }
    .endpoint { margin-top: .5rem } .facts, .origin, footer { color: var(--soft) }
    .grade, .badge { border-radius: 99px; white-space: nowrap; font-weight: 600; color: var(--tone); background: var(--tint) }
    .grade { font-size: 1rem; padding: .2rem .9rem } .badge { font-size: .78rem; padding: .1rem .6rem }
    .good { --tone: var(--good); --tint: var(--good-ground) } .bad { --tone: var(--bad); --tint: var(--bad-ground) }
    .doubtful { --tone: var(--doubtful); --tint: var(--doubtful-ground) }
    .quiet { --tone: var(--quiet); --tint: var(--quiet-ground) }
    .bar { display: flex; gap: 2px; height: .55rem; margin: 1.4rem 0 .6rem }
    .bar i { flex: 1 0 3px; background: var(--tone); border-radius: 2px } .bar i.quiet { opacity: .45 }
    .counts { display: flex; flex-wrap: wrap; gap: .2rem 1.5rem; margin: 0; padding: 0; list-style: none; color: var(--soft) }
    .counts b { color: var(--tone); font-size: 1.15rem }
    article, table { background: var(--paper); border: 1px solid var(--line); border-radius: 8px }
    article { border-left: 4px solid var(--tone); padding: 1rem 1.1rem; margin-bottom: .9rem }
    dl { display: grid; grid-template-columns: 3.6rem 1fr; gap: .25rem .75rem; margin: 0 } dd { margin: 0 }
    dt { color: var(--soft) } .advice { font-weight: 600 }
    .exchange { display: grid; grid-template-columns: 1fr 1fr; gap: .5rem 1.25rem; margin-top: .75rem; padding-top: .6rem;
      border-top: 1px solid var(--line) }
    .exchange > div { min-width: 0 } .exchange span { color: var(--soft); font-size: .9em; margin-right: .3em }
    pre { margin: .35rem 0 0; padding: .5rem .65rem; background: var(--mono); border-radius: 5px; white-space: pre-wrap;
      max-height: 18rem; overflow: auto }
    details { margin-top: .5rem } dd details { margin-top: 0 } summary { cursor: pointer; color: var(--soft) }
    table { border-collapse: separate; border-spacing: 0; width: 100% }
    th, td { text-align: left; vertical-align: top; padding: .6rem .8rem; border-bottom: 1px solid var(--line) }
    tr:last-child td { border-bottom: 0 } th { color: var(--soft); font-weight: 500; font-size: .85rem }
    th:first-child { width: 7.5rem } th:last-child { width: 11rem } td code { font-weight: 600 } td .exchange code { font-weight: 400 }
    td .seen { color: var(--soft) } a { color: inherit }
    footer { margin-top: 2rem; font-size: .85rem }
    @media (max-width: 40rem) {
      .exchange { grid-template-columns: 1fr } th:last-child, td.origin { display: none } th:first-child { width: 6rem }
    }
    @media print {
      :root { --ground: #fff; --paper: #fff; --mono: #fff }
      body { font-size: 10pt } main { max-width: none; padding: 0 } article, tr, .exchange { break-inside: avoid }
      pre { max-height: none; border: 1px solid var(--line) } summary { display: none }
      details::details-content { content-visibility: visible; display: block } table details { display: none }
      h2 { break-after: avoid } th, td { padding: .3rem .6rem }
      .grade, .badge, .bar i { print-color-adjust: exact }
    }
    """
}
