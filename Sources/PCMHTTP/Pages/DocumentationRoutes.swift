import CSwaggerUI
import Hummingbird
import NIOCore
import PCMPages

extension ControlAPI {
  /// Adds the documentation of the API and the files of its viewer, Swagger UI.
  func addDocumentationRoutes(to routes: inout RouteTable) {
    routes.on("/docs", .get, parameters: nil) { _, _ in Response(page: DocumentationPage.html) }
    routes.on(DocumentationPage.viewerScriptPath, .get, parameters: nil) { request, _ in Self.viewerScript.response(to: request)
    }
    routes.on(DocumentationPage.viewerStylePath, .get, parameters: nil) { request, _ in Self.viewerStyle.response(to: request) }
  }

  /// The script of the viewer. The first request for it copies it to memory, for all services of a process.
  private static let viewerScript = AssetFile(
    mediaType: PageAsset.script.mediaType,
    content: ByteBuffer(
      bytes: UnsafeRawBufferPointer(start: pcm_swagger_ui_script_bytes(), count: pcm_swagger_ui_script_length)))

  /// The style sheet of the viewer.
  private static let viewerStyle = AssetFile(
    mediaType: PageAsset.style.mediaType,
    content: ByteBuffer(
      bytes: UnsafeRawBufferPointer(start: pcm_swagger_ui_style_bytes(), count: pcm_swagger_ui_style_length)))
}
