/// What a list shows when its filter selects nothing.
enum FilterView {
  /// - Parameter list: The identifier of the list, whose filters the button clears.
  static func noMatch(_ text: String, of list: String) -> Markup {
    """
    <div class="empty"><p>\(text)</p><button type="button" data-reset="\(list)" data-key="reset-\(list)">Show all</button></div>
    """
  }
}
