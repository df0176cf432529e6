extension PageAsset {
  /// The style sheet of the pages. It follows the system's appearance and its setting for motion.
  static let styleText = """
    \(PagePalette.style)
    :root { color-scheme: light dark }
    * { box-sizing: border-box }
    body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Helvetica Neue", sans-serif }
    a { color: var(--accent) } :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px }
    .skip { position: absolute; left: -99rem } .skip:focus { left: 1rem; top: .5rem; background: var(--paper); padding: .5rem }
    .top { background: var(--paper); border-bottom: 1px solid var(--line) }
    .top nav { max-width: 80rem; margin: 0 auto; padding: .7rem 1.25rem; display: flex; flex-wrap: wrap; gap: .4rem 1.25rem;
      align-items: center }
    .top .brand { font-weight: 650; color: var(--ink); text-decoration: none; margin-right: auto }
    main { max-width: 80rem; margin: 0 auto; padding: 1.75rem 1.25rem 4rem }
    h1 { font-size: 1.9rem; line-height: 1.2; letter-spacing: -.015em; margin: 0 0 .35rem; overflow-wrap: anywhere }
    h2 { font-size: 1.2rem; margin: 0 } h3 { font-size: 1rem; margin: 0 }
    p { margin: 0 } .lead, .soft { color: var(--soft) }
    section, .card { background: var(--paper); border: 1px solid var(--line); border-radius: 14px; padding: 1.1rem 1.25rem;
      margin-top: 1.1rem; min-width: 0 }
    .heading { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin-bottom: .8rem }
    .heading h2 { margin-right: auto }
    code, pre, .mono { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .87em; overflow-wrap: anywhere;
      unicode-bidi: isolate }
    pre { margin: .5rem 0 0; padding: .65rem .8rem; background: var(--mono); border-radius: 8px; white-space: pre-wrap }
    button, .button, input, select { font: inherit; color: inherit; border: 1px solid var(--line); border-radius: 8px;
      background: var(--paper); padding: .38rem .8rem; min-height: 2.25rem; max-width: 100% }
    input, select { border-color: var(--soft) }
    button { cursor: pointer; font-weight: 500 } button:hover { background: var(--quiet-ground) }
    button:disabled { cursor: default; color: var(--soft) }
    .main { background: #0060c0; border-color: #0060c0; color: #fff } .main:hover { background: #004f9e }
    .danger { color: var(--bad) }
    label { display: inline-flex; flex-direction: column; font-size: .85rem; color: var(--soft); gap: .15rem; min-width: 0 }
    label input, label select { color: var(--ink); font-size: .95rem }
    .row { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end }
    .middle { align-items: center; justify-content: space-between }
    .badge { display: inline-block; border-radius: 99px; padding: .08rem .65rem; font-size: .8rem; font-weight: 600;
      color: var(--tone); background: var(--tint); white-space: nowrap }
    .good { --tone: var(--good); --tint: var(--good-ground) } .bad { --tone: var(--bad); --tint: var(--bad-ground) }
    .doubtful { --tone: var(--doubtful); --tint: var(--doubtful-ground) }
    .quiet { --tone: var(--quiet); --tint: var(--quiet-ground) }
    .plan { --tone: var(--plan); --tint: var(--plan-ground) } .info { --tone: var(--accent); --tint: var(--accent-ground) }
    .facts { display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; margin: .6rem 0 0; padding: 0; list-style: none; color: var(--soft) }
    .facts b { color: var(--ink); font-variant-numeric: tabular-nums }
    .browsers { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); gap: 1rem; padding: 0;
      margin: 1.1rem 0 0; list-style: none }
    .browsers .card { margin: 0; display: flex; flex-direction: column; gap: .5rem }
    .browsers h2 { font-size: 1.05rem; overflow-wrap: anywhere }
    .labels { display: flex; flex-wrap: wrap; gap: .3rem } .labels .badge { white-space: normal; overflow-wrap: anywhere }
    .browsers footer { display: flex; gap: .75rem; align-items: center; margin-top: auto; padding-top: .4rem; font-size: .87rem }
    .browsers footer span { margin-right: auto; min-width: 0; overflow-wrap: anywhere }
    .empty { text-align: center; padding: 2.5rem 1rem; color: var(--soft) }
    .problem { color: var(--bad); min-height: 1.5em } .problem:empty { min-height: 0 }
    .live::before { content: ""; display: inline-block; width: .55em; height: .55em; border-radius: 50%; background: currentColor;
      margin-right: .45em }
    progress { width: 8rem; accent-color: #0060c0 }
    .entries { list-style: none; margin: 0; padding: 0 } .entries > li { border-top: 1px solid var(--line) }
    .entries > .row { padding: .5rem .25rem } #faults { margin-top: .6rem }
    .entries > li > details > summary { display: grid; grid-template-columns: 1rem 11.5rem 12rem minmax(0, 1fr); gap: .2rem .8rem;
      padding: .5rem .25rem; cursor: pointer; align-items: baseline } .entries summary:hover { background: var(--quiet-ground) }
    .entries > li > details > summary::before { content: "▸"; content: "▸" / ""; color: var(--soft); font-size: 1.3em;
      line-height: 1 }
    .entries > li > details[open] > summary::before { content: "▾"; content: "▾" / "" }
    .entries summary > * { min-width: 0; overflow-wrap: anywhere } .entries details > div { padding: 0 .25rem .8rem }
    .entries details > div > a { display: inline-block; margin-right: 1rem }
    time { white-space: nowrap; font-variant-numeric: tabular-nums } .entries time { color: var(--soft); font-variant-numeric: tabular-nums; font-size: .9em }
    .rules { list-style: none; padding: 0; margin: .5rem 0 0 } .rules li { display: grid; grid-template-columns: 8.5rem minmax(0, 1fr);
      gap: .6rem; padding: .5rem 0; border-top: 1px solid var(--line) }
    .change { border-left: 4px solid var(--accent); background: var(--accent-ground); border-radius: 6px; padding: .6rem .8rem;
      margin-top: .7rem }
    .catalog { margin: .8rem 0 0 } .catalog dt { font-weight: 600; border-top: 1px solid var(--line); padding-top: .6rem }
    .catalog dd { margin: .2rem 0 .7rem } .catalog dt:target { outline: 3px solid var(--accent); outline-offset: 2px }
    .step { margin-top: 1.1rem } .timeline { width: 100%; overflow: hidden }
    .timeline > svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif }
    .timeline text { fill: var(--soft) } .timeline .title { fill: var(--ink); font-weight: 600; font-size: 13px }
    .timeline .grid { stroke: var(--line) } .timeline .now { stroke: var(--accent); stroke-width: 2 }
    .timeline .recipient { font-size: 11px; paint-order: stroke; stroke: var(--paper); stroke-width: 3px }
    .timeline .now-text { fill: var(--accent); font-weight: 600 }
    .timeline .life { fill: var(--accent-ground); stroke: var(--accent) } .timeline .dot { fill: var(--accent) }
    .timeline .window { fill: var(--plan-ground); stroke: var(--plan); stroke-dasharray: 3 2 }
    .timeline .attributed { fill: var(--good); stroke: var(--good) }
    .timeline .unmatched { fill: var(--paper); stroke: var(--doubtful); stroke-width: 2 }
    .timeline .rejected { fill: none; stroke: var(--bad); stroke-width: 2.5 }
    .timeline .ignored { fill: none; stroke: var(--quiet); stroke-width: 1.5 }
    .timeline .scheduled { fill: var(--paper); stroke: var(--plan); stroke-width: 2 }
    .timeline .delivered { fill: var(--good); stroke: var(--good) } .timeline .check { fill: none; stroke: var(--paper); stroke-width: 2 }
    .timeline .failed { fill: var(--bad); stroke: var(--bad) } .timeline .dropped { fill: none; stroke: var(--quiet); stroke-dasharray: 2 2 }
    .timeline .ad, .timeline .install { fill: none; stroke: var(--accent); stroke-width: 1.8 }
    .timeline .conversion { fill: var(--doubtful-ground); stroke: var(--doubtful) } .timeline .value { fill: var(--doubtful) }
    .timeline .ring { fill: none; stroke: var(--quiet); stroke-width: 1.5 }
    .timeline :is(.now, .grid, text) { pointer-events: none }
    .timeline > svg { touch-action: pan-y; cursor: grab } .timeline > svg.moving { cursor: grabbing; user-select: none }
    .timeline a:hover *, .timeline a:focus-visible * { stroke-width: 3.5 } .timeline a { outline-offset: 4px }
    .timeline .many { fill: var(--ink); font-size: 11px; font-weight: 600 }
    .legend { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; list-style: none; padding: 0; margin: .6rem 0 0; font-size: .85rem;
      color: var(--soft) } .legend svg { display: inline; width: 16px; height: 16px; vertical-align: -3px; margin-right: .3em }
    .detail { min-height: 1.6em; margin-top: .4rem; font-size: .9rem; color: var(--soft); overflow-wrap: anywhere }
    .attempt .badge, .entries summary .badge { white-space: normal; border-radius: 10px; overflow-wrap: anywhere }
    .attempt { border-top: 1px solid var(--line); margin-top: .7rem; padding-top: .7rem }
    .waterfall { width: 100%; max-width: 32rem; height: 14px; display: block; margin: .4rem 0 }
    .waterfall .p0 { fill: var(--plan) } .waterfall .p1 { fill: var(--accent) } .waterfall .p2 { fill: var(--good) }
    .waterfall .p3 { fill: var(--doubtful) } .waterfall .track { fill: var(--quiet-ground) }
    dialog { border: 1px solid var(--line); border-radius: 14px; background: var(--paper); color: var(--ink); padding: 1.5rem;
      max-width: min(26rem, 92vw) } dialog::backdrop { background: rgb(0 0 0 / .45) } dialog form { display: grid; gap: .8rem }
    .columns { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 1.1rem }
    .hidden, [hidden] { display: none !important }
    .quietly { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
    .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 1.5rem }
    .chart { margin: 0; min-width: 0 } .chart > svg { display: block; width: 100%; height: auto; font: 11px system-ui, sans-serif; margin-top: .5rem }
    .chart text { fill: var(--soft) } .chart .grid { stroke: var(--line) }
    .chart .expected { fill: none; stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 5 3 }
    .chart .info { fill: var(--accent) } .chart .good { fill: var(--good) } .chart .bad { fill: var(--bad); stroke: var(--ink); stroke-width: 2 }
    .chart .plan { fill: var(--plan-ground); stroke: var(--plan) } .chart .quiet { fill: none; stroke: var(--quiet); stroke-dasharray: 2 2 }
    .chart details { margin-top: .5rem } .chart summary { cursor: pointer; color: var(--soft) } .wide-table { overflow-x: auto; max-height: 20rem }
    .chart table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums } .chart th, .chart td { text-align: right;
      padding: .2rem .7rem; border-bottom: 1px solid var(--line) } .chart th:first-child { text-align: left; font-weight: 500 }
    .tries { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: .8rem 1.5rem; margin-top: .8rem }
    .tries h3 { margin-bottom: .4rem } .try { border-top: 1px solid var(--line) } .try > summary { padding: .5rem .25rem; cursor: pointer;
      font-weight: 500 } .try form { padding: 0 .25rem 1rem; display: grid; gap: .7rem; min-width: 0 }
    .fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 13rem), 1fr)); gap: .5rem .8rem }
    .hint { font-size: .8rem; color: var(--soft); overflow-wrap: anywhere } .hint:empty { display: none }
    .field { min-width: 0 } .field label { width: 100% } .field input:not([type=checkbox]), .field select, .field textarea { width: 100% }
    .wide { grid-column: 1 / -1 } label.check { flex-direction: row; align-items: center; gap: .5rem; color: var(--ink); font-size: .95rem; padding-top: .3rem }
    .check input { min-height: 1.3rem; width: 1.3rem; flex: none } [aria-invalid] { border: 2px solid var(--bad) }
    textarea { font: .87rem ui-monospace, "SF Mono", Menlo, Consolas, monospace; color: var(--ink); background: var(--paper);
      border: 1px solid var(--soft); border-radius: 8px; padding: .5rem .6rem; resize: vertical }
    .drop { display: grid; gap: .5rem } .code { max-height: 22rem; overflow: auto }
    @media (max-width: 46rem) {
      main { padding: 1.1rem .8rem 3rem } section, .card { padding: .9rem }
      .entries > li > details > summary { grid-template-columns: 1rem minmax(0, 1fr) } .entries summary > * { grid-column: 2 }
      .entries > li > details > summary::before { grid-row: 1 } #advance { flex-wrap: nowrap; overflow-x: auto }
      #advance > * { flex: none } #now { font-size: .85rem } .rules li { grid-template-columns: minmax(0, 1fr); gap: .1rem }
    }
    #travel { position: sticky; top: 0; z-index: 1; padding-block: .7rem; box-shadow: 0 -14px var(--ground), 0 2px 8px rgb(0 0 0 / .12) }
    #travel .heading { margin-bottom: .4rem } #travel label { flex-direction: row; align-items: center; gap: .5rem }
    html:has(#travel:not([hidden])) { scroll-padding-top: 8rem }
    @media (max-height: 28rem) { #travel { position: static } }
    .story { margin: .8rem 0 0; padding-left: 1.4rem } .story > li { padding: .45rem .5rem; border-radius: 6px }
    .story [aria-current] { background: var(--accent-ground) } .folded { margin-top: .5rem } summary { cursor: pointer }
    @media (prefers-reduced-motion: no-preference) { button { transition: background .15s } }
    """
}
