/**
 * Whether lists and objects of a JSON text stand in more than `levels` of each other. What is written again, or read with a function for its values, nests
 * as deep as the stack that is left: that is more in code that has run hot, and another result.
 */
export function isDeeperThan(text: string, levels: number): boolean {
  return text.length > 2 * levels && hasMoreThan(text, levels) && depthOf(text, levels) > levels
}

/** Brackets that open, those in strings included. Most texts have few, and a search for each costs less than a look at every character. */
function hasMoreThan(text: string, count: number): boolean {
  let found = 0
  for (const bracket of ['[', '{']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) if (++found > count) return true
  }
  return false
}

const [quote, backslash] = [0x22, 0x5c]

/** At least one above `enough` where it is deeper than that. */
function depthOf(text: string, enough: number): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let at = 0; at < text.length && deepest <= enough; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === backslash) at++
      else if (code === quote) inString = false
    } else if (code === quote) inString = true
    else if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth)
    else if (code === 0x5d || code === 0x7d) depth--
  }
  return deepest
}
