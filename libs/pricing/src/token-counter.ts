// Counts tokens where the client did not. Synchronous, for the thread that encodes; the vocabularies are
// loaded when first needed, 70 MB or so each.
import { createRequire } from 'node:module'
import type { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { chatTokens } from './chat-tokens.ts'
import { piecesOf } from './pieces.ts'
import type { Encoding, Tokenizer } from './tokenizers.ts'

interface TokenCounts {
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

export function createTokenCounter({ maxCharacters = 1 << 18 }: TokenCounterOptions = {}): TokenCounter {
  const counts: TokenCounts = { tokens: 0, tooLong: 0, estimated: 0 }

  function tokensOf(encoding: Encoding, text: string): number {
    const { countTokens: count } = encodingModule(encoding)
    const pieces = piecesOf(text)
    if (pieces.length > 1) counts.estimated++
    return pieces.reduce((tokens, piece) => tokens + count(piece, options), 0)
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
