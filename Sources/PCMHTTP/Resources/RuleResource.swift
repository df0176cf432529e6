import Hummingbird
import PCMRules

extension ControlAPI {
  func addRuleRoutes(to routes: inout RouteTable) {
    routes.on("/v1/rules", .get, parameters: ["name"]) { request, _ in
      Response(json: RuleCatalog.json(of: RuleCatalog.topics(named: QueryReader(request).text("name"))))
    }
  }
}
