/// Shell scripts that cannot be started, or that the shell cannot read. What lies in `scripts/lib` is read by other
/// scripts and not started.
func scriptFindings(
  in files: [SourceFile], isExecutable: (String) -> Bool, syntaxErrors: (String) async throws -> String?
) async rethrows -> [Finding] {
  var found: [Finding] = []
  for file in files {
    let isStarted = !file.isUnder("scripts/lib")
    if isStarted, !isExecutable(file.path) { found.append(Finding(file.path, rule: "not executable")) }
    if isStarted, file.lines.first != "#!/usr/bin/env bash" { found.append(Finding(file.path, rule: "no first line")) }
    if isStarted, !file.lines.contains("set -euo pipefail") { found.append(Finding(file.path, rule: "goes on after errors")) }
    if let errors = try await syntaxErrors(file.path) { found.append(Finding(file.path, rule: "not readable", errors)) }
  }
  return found
}
