import PCMCore

/// A form that makes one call of the API, and writes it as code.
struct TryForm: Sendable {
  let id: String
  let title: String
  let text: String
  let method: String
  /// The path after the browser's or the device's path, with parts in braces that fields fill.
  let path: String
  let isOfDevice: Bool
  let button: String
  let fields: [TryField]
  /// Whether the request contains only the fields that were changed.
  let sendsChanges: Bool

  init(
    _ id: String, _ title: String, _ text: String, _ method: String, _ path: String, isOfDevice: Bool = false, button: String,
    sendsChanges: Bool = false, _ fields: [TryField]
  ) {
    self.id = id
    self.title = title
    self.text = text
    self.method = method
    self.path = path
    self.isOfDevice = isOfDevice
    self.button = button
    self.fields = fields
    self.sendsChanges = sendsChanges
  }

  /// Returns the form that an operation declares; none for an operation without one.
  static func forms(of input: any OperationInput.Type) -> [TryForm] {
    guard let form = input.form else { return [] }
    let isOfDevice = input.path.hasPrefix("/v1/devices/")
    let parts = input.path.split(separator: "/").dropFirst(3)
    let path = parts.map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : String($0) }.joined(separator: "/")
    let fields = input.parameters.map { TryField(parameter: $0, .value(form.examples[$0] ?? "")) }
    return [
      TryForm(
        form.id, form.title, form.text, input.method, path, isOfDevice: isOfDevice, button: form.button,
        fields + TryField.members(of: input, form.examples.mapValues { .value($0) }))
    ]
  }

  /// - Parameter apiPath: The path of the browser in the API, percent-encoded.
  func markup(apiPath: String) -> Markup {
    let world = isOfDevice ? "/v1/devices\(apiPath.dropFirst("/v1/browsers".count))" : apiPath
    let controls = fields.enumerated().map { index, field in field.markup(id: "\(id)-\(index)") }
    return """
      <details class="try"><summary>\(title)</summary>
      <form id="\(id)" data-try data-method="\(method)" data-path="\(world)\(path.isEmpty ? "" : "/\(path)")"\
      \(sendsChanges ? " data-changes" : "") novalidate autocomplete="off" spellcheck="false">
      <p class="soft">\(text)</p>
      <div class="fields">\(controls)</div>
      <div class="row"><button class="main">\(button)</button><button type="button" data-code="curl">Copy as curl</button>\
      <button type="button" data-code="swift">Copy as Swift</button><button type="button" data-code="python">Copy as Python</button></div>
      <p class="problem" data-problem role="alert"></p>
      <div data-result role="status"></div>
      </form></details>
      """
  }
}
