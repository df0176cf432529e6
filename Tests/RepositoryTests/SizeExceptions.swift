/// Pieces that are longer than the house allows, each with the reason why cutting it would make it worse. A function is
/// named by its file, a colon and its name as declared: `Sources/PCMApp/Serve.swift: func run`.
let sizeExceptions: [AcceptedBreach] = []
