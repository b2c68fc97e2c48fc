// Counts tokens where the client reported none. The counter is synchronous, because it runs on the encoding thread. It loads each
// vocabulary (some 70 MB) on first use.
import { createRequire } from 'node:module'
import type * as Patterns from 'gpt-tokenizer/encodingParams/constants'
import { PairCounter, ranksOf } from './byte-pairs.ts'
import { withMedia, withoutBytes } from './bytes-in-text.ts'
import { chatTokens } from './chat-tokens.ts'
import { piecesOf } from './pieces.ts'
import type { Encoding, Tokenizer } from './tokenizers.ts'

interface TokenCounts {
  /** Number of counted tokens. */
  tokens: number
  /** Number of texts that were too long to count. */
  tooLong: number
  /** Number of texts whose count is an estimate, because long runs were cut. */
  estimated: number
  /** Number of texts that contain images, audio or documents. */
  notText: number
}

export interface TokenCounter {
  /** Undefined if the text is too long or contains too much media. */
  count(tokenizer: Tokenizer, text: string): number | undefined
  readonly counts: Readonly<TokenCounts>
}

export interface TokenCounterOptions {
  /**
   * Maximum length of a text that is counted; 256 Ki by default. Counting takes 0.4 µs per character of prose, and 1.4 µs per random
   * ideograph.
   */
  readonly maxCharacters?: number
}

interface LoadedEncoding {
  /** Splits a text into pieces. The tokens of each piece are counted separately. */
  readonly pattern: RegExp
  readonly pairs: PairCounter
}

const require = createRequire(import.meta.url)
const loaded = new Map<Encoding, LoadedEncoding>()

const patternNames = {
  o200k_base: 'O200K_TOKEN_SPLIT_REGEX',
  cl100k_base: 'CL100K_TOKEN_SPLIT_REGEX',
  p50k_base: 'R50K_TOKEN_SPLIT_REGEX',
  r50k_base: 'R50K_TOKEN_SPLIT_REGEX',
} as const satisfies Record<Encoding, keyof typeof Patterns>

function encodingOf(name: Encoding): LoadedEncoding {
  const known = loaded.get(name)
  if (known !== undefined) return known
  const { default: vocabulary } = require(`gpt-tokenizer/bpeRanks/${name}`) as { readonly default: Parameters<typeof ranksOf>[0] }
  const patterns = require('gpt-tokenizer/encodingParams/constants') as typeof Patterns
  const encoding = { pattern: patterns[patternNames[name]], pairs: new PairCounter(ranksOf(vocabulary)) }
  loaded.set(name, encoding)
  return encoding
}

export function createTokenCounter({ maxCharacters = 1 << 18 }: TokenCounterOptions = {}): TokenCounter {
  const counts: TokenCounts = { tokens: 0, tooLong: 0, estimated: 0, notText: 0 }

  function tokensOf(encoding: Encoding, text: string): number {
    const { pattern, pairs } = encodingOf(encoding)
    const pieces = piecesOf(text)
    if (pieces.length > 1) counts.estimated++
    let tokens = 0
    // A literal `<|endoftext|>` is ordinary text.
    for (const piece of pieces) for (const part of piece.match(pattern) ?? []) tokens += pairs.count(part)
    return tokens
  }

  return {
    counts,
    count(tokenizer, text) {
      const { text: read, media } = withoutBytes(text)
      if (read.length > maxCharacters) {
        counts.tooLong++
        return undefined
      }
      const tokens =
        media.others > 0
          ? undefined
          : withMedia(
              chatTokens(tokenizer, read, part => tokensOf(tokenizer.encoding, part)),
              media,
            )
      if (tokens === undefined) counts.notText++
      else counts.tokens += tokens
      return tokens
    },
  }
}
