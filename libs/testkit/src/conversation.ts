// Generates the JSON texts that instrumentations record for an agent's run. Each recorded input is a list of chat messages. Each recorded
// output is a completion or a tool call.
import type { Random } from './random.ts'
import { prose } from './vocabulary.ts'

interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string
}

export interface Conversation {
  /**
   * Adds a tool's result to the history. Returns the input of a step: the system prompt and this result. Earlier messages are left out,
   * because an agent sends only part of its history in each step.
   */
  input(): string
  /** Returns the output of a step, and adds the output to the history. */
  output(): string
}

const json = (value: unknown) => JSON.stringify(value)

export function createConversation(random: Random, systemPrompt: string): Conversation {
  const history: Message[] = [{ role: 'user', content: prose(random, random.integer(150, 500)) }]
  return {
    input() {
      history.push({ role: 'tool', content: json(toolResult(random)) })
      return json([{ role: 'system', content: systemPrompt }, ...history.slice(-1)])
    },
    output() {
      const message: Message = { role: 'assistant', content: prose(random, random.integer(760, 1880)) }
      history.push(message)
      if (random.next() < 0.6) return json(message)
      const call = { name: random.pick(tools), arguments: json({ query: prose(random, 40), limit: random.integer(1, 50) }) }
      return json({ ...message, tool_calls: [{ id: `call_${random.hex(24)}`, type: 'function', function: call }] })
    },
  }
}

export const tools = ['search_documents', 'lookup_order', 'create_ticket', 'run_query'] as const

const toolResult = (random: Random) => ({
  documents: Array.from({ length: random.integer(1, 3) }, () => ({
    id: random.hex(12),
    score: Math.round(random.next() * 10_000) / 10_000,
    text: prose(random, random.integer(180, 520)),
  })),
})
