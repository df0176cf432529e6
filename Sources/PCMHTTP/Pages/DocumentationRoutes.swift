import CSwaggerUI
import Hummingbird
import NIOCore
import PCMPages

extension ControlAPI {
  /// Adds the documentation of the API and the files of its viewer, Swagger UI.
  func addDocumentationRoutes(to routes: inout RouteTable) {
    routes.on("/docs", .get, parameters: nil) { _, _ in Response(page: DocumentationPage.html) }
    let script = AssetFile(
      mediaType: PageAsset.script.mediaType,
      content: ByteBuffer(
        bytes: UnsafeRawBufferPointer(start: pcm_swagger_ui_script_bytes(), count: pcm_swagger_ui_script_length)))
    let style = AssetFile(
      mediaType: PageAsset.style.mediaType,
      content: ByteBuffer(
        bytes: UnsafeRawBufferPointer(start: pcm_swagger_ui_style_bytes(), count: pcm_swagger_ui_style_length)))
    for (path, file) in [(DocumentationPage.viewerScriptPath, script), (DocumentationPage.viewerStylePath, style)] {
      routes.on(path, .get, parameters: nil) { request, _ in file.response(to: request) }
    }
  }
}
