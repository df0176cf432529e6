/// The colors that all pages share, for light and dark appearance. Text has a contrast of at least 4.5 to 1 on its ground.
enum PagePalette {
  static let style = """
    :root {
      --ground: #f5f5f7; --paper: #fff; --ink: #1d1d1f; --soft: #565b64; --line: #dcdfe4; --mono: #f2f4f7; --accent: #0060c0;
      --good: #11622b; --bad: #a8122a; --doubtful: #7a4a00; --quiet: #4f5661; --plan: #6b3fa0;
      --good-ground: #e3f4e7; --bad-ground: #fdeaec; --doubtful-ground: #fdf1da; --quiet-ground: #eceff3;
      --accent-ground: #dcebfb; --plan-ground: #ece4f7;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #121417; --paper: #1b1e23; --ink: #e8eaed; --soft: #a6adb8; --line: #343a42; --mono: #23272d; --accent: #6cb4ff;
        --good: #6fd08a; --bad: #ff8f95; --doubtful: #e9b65a; --quiet: #a9b0bb; --plan: #c3a2f0;
        --good-ground: #16301d; --bad-ground: #3d191d; --doubtful-ground: #38290c; --quiet-ground: #2a2f36;
        --accent-ground: #16324f; --plan-ground: #31254a;
      }
    }
    """
}
