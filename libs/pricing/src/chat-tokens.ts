// Decides how the tokens of a text are counted. The messages of a chat are counted one by one, because providers also count them in this
// way. Other JSON is counted in its compact form. A JSON string is counted without its quotes.
import { isTextDeeperThan, maxTextLevels, parseJson } from '@svc-server/json'
import type { Tokenizer } from './tokenizers.ts'

const countedFields = ['content', 'role', 'name', 'tool_calls', 'function_call', 'toolCalls', 'functionCall'] as const

type Message = Readonly<Record<string, unknown>>

const isMessage = (value: unknown): value is Message => {
  if (typeof value !== 'object' || value === null) return false
  const { role, content, name } = value as Message
  return typeof role === 'string' && typeof content === 'string' && (name === undefined || typeof name === 'string')
}

/** Number of tokens at the start of every reply of a chat model. */
const replyTokens = 3

export function chatTokens({ chat }: Tokenizer, text: string, tokensOf: (text: string) => number): number {
  const value = jsonOf(text)
  if (value === undefined) return tokensOf(text)
  if (typeof value === 'string') return tokensOf(value)
  if (chat === null || !Array.isArray(value) || !value.every(isMessage)) return tokensOf(compact(value) ?? text)
  let tokens = replyTokens
  for (const message of value) {
    tokens += chat.tokensPerMessage + (message['name'] === undefined ? 0 : chat.tokensPerName)
    for (const field of countedFields) {
      const part = message[field]
      if (part !== undefined && part !== null) tokens += tokensOf(typeof part === 'string' ? part : (compact(part) ?? ''))
    }
  }
  return tokens
}

/** Matches the start of any JSON value but a number. A number does not match: parsing and serializing could change the number's digits. */
const opening = /^[ \t\n\r]*(?:[[{"]|(?:true|false|null)[ \t\n\r]*$)/

/** Returns undefined if the text is not JSON, is a number, or is nested too deeply. Such a text is counted as it is written. */
function jsonOf(text: string): unknown {
  // Most responses are prose. The parser's exception for prose takes longer than counting the tokens. This check avoids the exception.
  if (!opening.test(text) || isTextDeeperThan(text, maxTextLevels)) return undefined
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Undefined if the value is nested too deeply. */
function compact(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
