// Decides which part of a text is counted: the messages of a chat one by one, as the provider does; other JSON in compact form;
// a JSON string without its quotes.
import { isTextDeeperThan, maxTextLevels, parseJson } from '@svc-server/json'
import type { Tokenizer } from './tokenizers.ts'

const countedFields = ['content', 'role', 'name', 'tool_calls', 'function_call', 'toolCalls', 'functionCall'] as const

type Message = Readonly<Record<string, unknown>>

const isMessage = (value: unknown): value is Message => {
  if (typeof value !== 'object' || value === null) return false
  const { role, content, name } = value as Message
  return typeof role === 'string' && typeof content === 'string' && (name === undefined || typeof name === 'string')
}

/** Every reply starts with three tokens. */
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

/** How JSON text begins, except for a number: parsing and serializing could change it, so it is counted as written. */
const opening = /^[ \t\n\r]*(?:[[{"]|(?:true|false|null)[ \t\n\r]*$)/

/** The JSON value of a text. Also undefined for a number and for too deep nesting: both are counted as written. */
function jsonOf(text: string): unknown {
  // Most responses are prose, and an exception takes longer than counting their tokens.
  if (!opening.test(text) || isTextDeeperThan(text, maxTextLevels)) return undefined
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Undefined when the value is nested too deeply to serialize. */
function compact(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
