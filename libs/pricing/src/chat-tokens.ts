// Decides how the tokens of a text are counted. A chat's messages are counted one by one, as providers count them. Other JSON is counted in
// compact form. A JSON string is counted without its quotes.
import { isTextDeeperThan, maxTextLevels, parseJson } from '@svc-server/json'
import type { Tokenizer } from './tokenizers.ts'

const countedFields = ['content', 'role', 'name', 'tool_calls', 'function_call', 'toolCalls', 'functionCall'] as const

type Message = Readonly<Record<string, unknown>>

const isMessage = (value: unknown): value is Message => {
  if (typeof value !== 'object' || value === null) return false
  const { role, content, name } = value as Message
  return typeof role === 'string' && typeof content === 'string' && (name === undefined || typeof name === 'string')
}

/** Every reply of a chat model starts with three extra tokens. */
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

/**
 * Matches the beginning of a JSON text. Numbers do not match and are counted unchanged, because parsing and serializing could change their
 * digits.
 */
const opening = /^[ \t\n\r]*(?:[[{"]|(?:true|false|null)[ \t\n\r]*$)/

/**
 * Returns the JSON value of a text; undefined if the text is not JSON. Also returns undefined for a number, and for a value that is nested
 * too deeply: both are counted as they are written.
 */
function jsonOf(text: string): unknown {
  // The check precedes the parser: most responses are prose, and an exception of the parser takes longer than counting the response's
  // tokens.
  if (!opening.test(text) || isTextDeeperThan(text, maxTextLevels)) return undefined
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Serializes the value in compact form; undefined if the value is nested too deeply. */
function compact(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
