// Indexes the values of a JSON text by position. The text stays unchanged, so numbers are shown as they were written. The scan is not
// recursive, so JSON can have any depth.

export const kinds = { object: 0, array: 1, string: 2, number: 3, word: 4 } as const

export interface JsonIndex {
  readonly kinds: Uint8Array
  /** `starts` has the position of each value's first character. `ends` has the position after each value's last character. */
  readonly starts: Int32Array
  readonly ends: Int32Array
  /** Position of the quote before each value's key. It is -1 for a value without a key. */
  readonly keyStarts: Int32Array
  readonly keyEnds: Int32Array
  readonly parents: Int32Array
  /** Number of values directly inside each value. */
  readonly counts: Int32Array
  /** For each value, the index of the next value that is not inside it. */
  readonly nexts: Int32Array
}

const [quote, backslash, comma, colon] = [34, 92, 44, 58]
const [openBrace, closeBrace, openBracket, closeBracket] = [123, 125, 91, 93]
const isSpace = (code: number) => code === 32 || code === 10 || code === 13 || code === 9
const isEnd = (code: number) => isSpace(code) || code === comma || code === closeBrace || code === closeBracket || Number.isNaN(code)

function afterString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === backslash) at++
    else if (code === quote) return at + 1
    else if (code < 32) return -1
  }
  return -1
}

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Returns undefined if the text is not JSON. */
export function scanJson(text: string): JsonIndex | undefined {
  const [kindOf, starts, ends, parents, counts, nexts]: [number[], number[], number[], number[], number[], number[]] = [
    [],
    [],
    [],
    [],
    [],
    [],
  ]
  const [keyStarts, keyEnds]: [number[], number[]] = [[], []]
  const open: number[] = []
  let at = 0
  let [keyStart, keyEnd] = [-1, -1]
  /**
   * The token that must follow. `firstValue` and `firstKey` also allow the end of the container. `next` is a comma or the end of the
   * container.
   */
  let expected: 'value' | 'firstValue' | 'key' | 'firstKey' | 'next' = 'value'

  function begin(kind: number, end: number): number {
    const node = kindOf.length
    const parent = open.at(-1) ?? -1
    kindOf.push(kind)
    starts.push(at)
    ends.push(end)
    keyStarts.push(keyStart)
    keyEnds.push(keyEnd)
    parents.push(parent)
    counts.push(0)
    nexts.push(node + 1)
    if (parent >= 0) counts[parent]!++
    ;[keyStart, keyEnd] = [-1, -1]
    return node
  }
  const isNested = () => open.length > 0

  for (; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (isSpace(code)) {
      at++
      continue
    }
    if (expected === 'next') {
      const top = open.at(-1)
      if (top === undefined) return undefined
      const isObject = kindOf[top] === kinds.object
      if (code === comma) expected = isObject ? 'key' : 'value'
      else if (code === (isObject ? closeBrace : closeBracket)) close()
      else return undefined
      at++
      continue
    }
    if (expected === 'key' || expected === 'firstKey') {
      if (code === closeBrace && expected === 'firstKey') {
        close()
        at++
        continue
      }
      if (code !== quote) return undefined
      keyStart = at
      keyEnd = afterString(text, at)
      if (keyEnd < 0) return undefined
      at = keyEnd
      while (isSpace(text.charCodeAt(at))) at++
      if (text.charCodeAt(at) !== colon) return undefined
      at++
      expected = 'value'
      continue
    }
    if (code === closeBracket && expected === 'firstValue') {
      close()
      at++
      continue
    }
    if (code === openBrace || code === openBracket) {
      open.push(begin(code === openBrace ? kinds.object : kinds.array, -1))
      expected = code === openBrace ? 'firstKey' : 'firstValue'
      at++
      continue
    }
    const end = code === quote ? afterString(text, at) : afterWord(text, at)
    if (end < 0) return undefined
    const word = code === quote ? '' : text.slice(at, end)
    if (code !== quote && word !== 'true' && word !== 'false' && word !== 'null' && !number.test(word)) return undefined
    begin(code === quote ? kinds.string : /^[tfn]/.test(word) ? kinds.word : kinds.number, end)
    at = end
    expected = 'next'
  }
  if (isNested() || kindOf.length === 0) return undefined

  function close(): void {
    const node = open.pop()!
    ends[node] = at + 1
    nexts[node] = kindOf.length
    expected = 'next'
  }
  return {
    kinds: Uint8Array.from(kindOf),
    ...{ starts: Int32Array.from(starts), ends: Int32Array.from(ends), parents: Int32Array.from(parents), counts: Int32Array.from(counts) },
    ...{ nexts: Int32Array.from(nexts), keyStarts: Int32Array.from(keyStarts), keyEnds: Int32Array.from(keyEnds) },
  }
}

function afterWord(text: string, from: number): number {
  let at = from
  while (!isEnd(text.charCodeAt(at))) at++
  return at === from ? -1 : at
}

export function stringAt(text: string, start: number, end: number): string {
  const body = text.slice(start + 1, end - 1)
  if (!body.includes('\\')) return body
  try {
    return JSON.parse(text.slice(start, end)) as string
  } catch {
    return body
  }
}
