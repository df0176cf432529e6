/// The page in place of the documentation, for a service whose package has none.
package enum MissingWebsitePage {
  package static var html: String {
    PageFrame(
      title: "Documentation – pcm-browser",
      content: """
        <h1>Documentation</h1>
        <p class="lead">This program is not in a package with the documentation. The archive and the Debian package of pcm-browser contain it, and <code>scripts/documentation FOLDER</code> in the sources builds it.</p>
        <p>Without it, <a href="/rules">the rules</a> say what decides and what to change, <a href="/docs">the API</a> describes each call, and <code>pcm-browser help</code> each command.</p>
        """
    ).html.text
  }
}
