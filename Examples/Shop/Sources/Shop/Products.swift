import Foundation
import UIKit

/// An item for sale.
struct Product: Identifiable, Hashable, Sendable {
    /// Its number, from 0.
    let id: Int
    /// Its name.
    var name: String
    /// Its price in cents.
    var cents: Int
    /// Whether it costs less than usual.
    var isOnSale = false
    /// Whether it is sold out.
    var isSoldOut = false
}

/// The server's answers. They are made on the device, so a test measures the app and not the network.
enum Server {
    static let shelves = 4
    static let productsPerShelf = 30

    /// The products of a shelf; no shelf follows the last.
    static func shelf(_ number: Int) async -> [Product] {
        await wait(milliseconds: 120)
        return (number * productsPerShelf..<(number + 1) * productsPerShelf).map(product)
    }

    /// The products whose name contains a text, ignoring case.
    static func search(_ text: String) async -> [Product] {
        await wait(milliseconds: 180)
        let all = (0..<shelves * productsPerShelf).map(product)
        return text.isEmpty ? all : all.filter { $0.name.lowercased().contains(text.lowercased()) }
    }

    static func product(_ id: Int) -> Product {
        let colours = ["Red", "Green", "Blue", "Yellow", "Grey"]
        let things = ["chair", "lamp", "table", "shelf", "rug", "mug"]
        let name = "\(colours[id % colours.count]) \(things[id / 2 % things.count]) \(id)"
        return Product(
            id: id, name: name, cents: 990 + id * 730 % 20_000, isOnSale: id % 4 == 0, isSoldOut: id % 9 == 0)
    }

    private static func wait(milliseconds: UInt64) async {
        try? await Task.sleep(nanoseconds: milliseconds * 1_000_000)
    }
}

/// Pictures of products, drawn once and stored as files, which load like those of a server.
@MainActor
enum Pictures {
    static let side = 240

    /// The file with a product's picture; a product has several.
    static func url(of product: Product, number: Int = 0) -> URL? {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pictures")
        let file = folder.appendingPathComponent("\(product.id)-\(number).png")
        guard !FileManager.default.fileExists(atPath: file.path) else { return file }
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard let data = draw(product.id + number).pngData() else { return nil }
        try? data.write(to: file)
        return file
    }

    /// The picture itself, some time after the request.
    static func load(_ url: URL) async -> UIImage? {
        try? await Task.sleep(nanoseconds: 60_000_000)
        return UIImage(contentsOfFile: url.path)
    }

    private static func draw(_ seed: Int) -> UIImage {
        let size = CGSize(width: side, height: side)
        return UIGraphicsImageRenderer(size: size).image { context in
            for stripe in 0..<12 {
                let hue = CGFloat((seed * 37 + stripe * 11) % 100) / 100
                UIColor(hue: hue, saturation: 0.5, brightness: 0.9, alpha: 1).setFill()
                context.fill(CGRect(x: 0, y: stripe * side / 12, width: side, height: side / 12))
            }
        }
    }
}
