// Suggests the closest known variable for the warning about an unknown variable. Most unknown variables are misspelled names of known
// variables, so the intended setting keeps its default.

/** Computes the Levenshtein distance. Keeps only two rows of the distance matrix in memory: the previous row and the current row. */
const editDistance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}

/**
 * Returns the maximum edit distance, which is the smaller of two numbers. The first number is half the length of the name without its
 * prefix (such as `SVC_`), but at least 1. The second number is a quarter of the whole name's length, but at least 3.
 */
function toleranceOf(name: string): number {
  const own = name.length - (name.indexOf('_') + 1)
  return Math.min(Math.max(1, Math.floor(own / 2)), Math.max(3, Math.floor(name.length / 4)))
}

/** Returns the known name that is most similar; undefined if no name is similar enough. */
export const nearestName = (name: string, known: readonly string[]): string | undefined => {
  const ranked = known.map(candidate => ({ candidate, distance: editDistance(name, candidate) })).sort((a, b) => a.distance - b.distance)
  const best = ranked[0]
  return best !== undefined && best.distance <= toleranceOf(name) ? best.candidate : undefined
}
