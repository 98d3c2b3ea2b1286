/// Planar pictures whose memory is used again once nobody else holds them. Used by one thread; pictures may be let go on any.
final class PlanarPool {
  private var pictures: [PlanarPicture] = []

  /// A picture of undefined content.
  func take(_ shape: PlanarPicture.Shape) -> PlanarPicture {
    pictures.removeAll { $0.shape != shape }
    for index in pictures.indices where isKnownUniquelyReferenced(&pictures[index]) { return pictures[index] }
    let made = PlanarPicture(shape)
    pictures.append(made)
    return made
  }
}
