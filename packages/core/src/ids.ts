// Makes identifiers that are unlikely to collide but can be guessed.

interface Clocks {
  readonly performance?: { now(): number } | undefined
}

/** Returns a text in the format of a version 4 UUID, made from the time and pseudo-random digits. It is not cryptographically secure. */
export function generateUUID(runtime: Clocks = globalThis): string {
  let time = Date.now()
  let fine = Math.floor((runtime.performance?.now() ?? 0) * 1000)
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, place => {
    let digit = Math.floor(Math.random() * 16)
    if (time > 0) {
      digit = ((time + digit) % 16) | 0
      time = Math.floor(time / 16)
    } else {
      digit = ((fine + digit) % 16) | 0
      fine = Math.floor(fine / 16)
    }
    return (place === 'x' ? digit : (digit & 3) | 8).toString(16)
  })
}
