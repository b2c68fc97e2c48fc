// Counts tokens where the client did not. Synchronous, for the thread that encodes; the vocabularies are loaded when first needed, 70 MB or so each.
import { createRequire } from 'node:module'
import type { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { chatTokens } from './chat-tokens.ts'
import type { Encoding, Tokenizer } from './tokenizers.ts'

export interface TokenCounts {
  /** Tokens that were counted. */
  tokens: number
  /** Texts that were too long to be counted. */
  tooLong: number
  /** Texts with runs that were cut before they were counted: the count is an estimate. */
  estimated: number
}

export interface TokenCounter {
  /** Tokens of a text, or undefined when it is too long. */
  count(tokenizer: Tokenizer, text: string): number | undefined
  readonly counts: Readonly<TokenCounts>
}

export interface TokenCounterOptions {
  /** Longer texts are not counted; default 256 Ki. Prose takes 0.2 µs a character, random ideographs 2.2. */
  readonly maxCharacters?: number
}

interface EncodingModule {
  readonly countTokens: typeof countTokens
}

const require = createRequire(import.meta.url)
const loaded = new Map<Encoding, EncodingModule>()

function encodingModule(name: Encoding): EncodingModule {
  let module = loaded.get(name)
  if (module === undefined) loaded.set(name, (module = require(`gpt-tokenizer/encoding/${name}`) as EncodingModule))
  return module
}

/** A text may say `<|endoftext|>`: it is counted as the text it is. */
const options = { disallowedSpecial: new Set<string>() }

/**
 * Byte pair encoding takes quadratic time over a run that the tokenizer's own pattern does not split (half a million letters: minutes).
 * Runs of this length do not occur in prose; they are cut, which adds at most one token per cut.
 */
const maxRun = 256
const longRun = new RegExp([`[\\p{L}\\p{M}]`, `[^\\s\\p{L}\\p{N}]`, `\\p{N}`, `\\s`].map(kind => `${kind}{${maxRun + 1},}`).join('|'), 'gu')

const isLowSurrogate = (text: string, at: number) => (text.charCodeAt(at) & 0xfc00) === 0xdc00

export function createTokenCounter({ maxCharacters = 1 << 18 }: TokenCounterOptions = {}): TokenCounter {
  const counts: TokenCounts = { tokens: 0, tooLong: 0, estimated: 0 }

  function tokensOf(encoding: Encoding, text: string): number {
    const count = encodingModule(encoding).countTokens
    let tokens = 0
    let from = 0
    for (const run of text.matchAll(longRun)) {
      const end = run.index + run[0].length
      for (let cut = run.index + maxRun; cut < end; cut += maxRun) {
        if (isLowSurrogate(text, cut)) cut++
        tokens += count(text.slice(from, cut), options)
        from = cut
      }
    }
    if (from > 0) counts.estimated++
    return tokens + count(from === 0 ? text : text.slice(from), options)
  }

  return {
    counts,
    count(tokenizer, text) {
      if (text.length > maxCharacters) {
        counts.tooLong++
        return undefined
      }
      const tokens = chatTokens(tokenizer, text, part => tokensOf(tokenizer.encoding, part))
      counts.tokens += tokens
      return tokens
    },
  }
}
