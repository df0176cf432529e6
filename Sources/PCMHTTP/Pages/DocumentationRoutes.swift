import CSwaggerUI
import Hummingbird
import NIOCore
import PCMPages

extension ControlAPI {
  /// Adds the documentation of the API and the files of its viewer, Swagger UI.
  func addDocumentationRoutes(to routes: inout RouteTable) {
    routes.on("/docs", .get, parameters: nil) { _, _ in Response(page: DocumentationPage.html) }
    for (path, file) in Self.viewerFiles {
      routes.on(path, .get, parameters: nil) { request, _ in file.response(to: request) }
    }
  }

  /// The files of the viewer. All services of a process, such as scenarios' services, share them.
  private static let viewerFiles = [
    (
      DocumentationPage.viewerScriptPath,
      AssetFile(
        mediaType: PageAsset.script.mediaType,
        content: ByteBuffer(
          bytes: UnsafeRawBufferPointer(start: pcm_swagger_ui_script_bytes(), count: pcm_swagger_ui_script_length)))
    ),
    (
      DocumentationPage.viewerStylePath,
      AssetFile(
        mediaType: PageAsset.style.mediaType,
        content: ByteBuffer(
          bytes: UnsafeRawBufferPointer(start: pcm_swagger_ui_style_bytes(), count: pcm_swagger_ui_style_length)))
    ),
  ]
}
