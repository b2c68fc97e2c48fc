// Paths to media in the fields of a dataset item. A path is `$`, followed by any number of `['key']` or `[index]`, without escapes.

const segment = /\['([^']*)'\]|\[(\d+)\]/y

/** Throws if the text is not a path. */
export function parsePath(path: string): readonly (string | number)[] {
  if (!path.startsWith('$')) throw new Error(`The path '${path}' does not begin with $.`)
  const segments: (string | number)[] = []
  for (segment.lastIndex = 1; segment.lastIndex < path.length; ) {
    const from = segment.lastIndex
    const found = segment.exec(path)
    if (found === null) throw new Error(`The path '${path}' is invalid after character ${from}.`)
    segments.push(found[1] ?? Number(found[2]))
  }
  return segments
}

function step(holder: unknown, key: string | number, path: string): Record<string | number, unknown> {
  const fits = typeof key === 'number' ? Array.isArray(holder) : typeof holder === 'object' && holder !== null && !Array.isArray(holder)
  if (!fits || !Object.hasOwn(holder as object, key)) throw new Error(`The path '${path}' does not exist: there is no '${key}'.`)
  return holder as Record<string | number, unknown>
}

/** Replaces the value at the path in `whole`, a field of a dataset item, and returns the field. Throws if the path does not exist. */
export function replaceAt(whole: unknown, path: string, value: unknown): unknown {
  const segments = parsePath(path)
  const last = segments.at(-1)
  if (last === undefined) return value
  let holder = whole
  for (const key of segments.slice(0, -1)) holder = step(holder, key, path)[key]
  step(holder, last, path)[last] = value
  return whole
}
