/// Measures of a sample.
enum Statistics {
  /// The largest distance between the sample's distribution and the uniform one.
  static func distanceFromUniform(_ sample: [Double]) -> Double {
    let count = Double(sample.count)
    return sample.sorted().enumerated().map { index, value in
      max(value - Double(index) / count, Double(index + 1) / count - value)
    }.max() ?? 1
  }

  static func correlation(_ left: [Double], _ right: [Double]) -> Double {
    let count = Double(left.count)
    let (leftMean, rightMean) = (left.reduce(0, +) / count, right.reduce(0, +) / count)
    let products = zip(left, right).map { ($0 - leftMean) * ($1 - rightMean) }.reduce(0, +)
    let leftSquares = left.map { ($0 - leftMean) * ($0 - leftMean) }.reduce(0, +)
    let rightSquares = right.map { ($0 - rightMean) * ($0 - rightMean) }.reduce(0, +)
    return products / (leftSquares * rightSquares).squareRoot()
  }
}
