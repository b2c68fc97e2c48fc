// Responses to reads of prompts, kept while no prompt changes, where only this process writes the store: an embedded store takes a
// millisecond for each query, and applications read prompts with every request. On a server, other processes write, and each read asks it.
import type { RelationalStore } from '@svc-server/relational/store'
import { LRUCache } from 'lru-cache'

const maxBytes = 32_000_000

/** Tables whose changes can change a prompt. */
const tables = ['prompts', 'projects', 'organizations']

/** A prompt as JSON. */
interface PromptText {
  readonly text: string
}

interface Known {
  readonly body: PromptText
  /** State of the store in which the body was read. */
  readonly state: number
}

export interface KnownPrompts {
  /** The response under this key, or what `read` returns. A read that begins after a change was answered sees it. */
  get(key: string, read: () => Promise<PromptText>): Promise<PromptText>
}

export function createKnownPrompts({ changesOf }: Pick<RelationalStore, 'changesOf'>): KnownPrompts {
  if (changesOf === undefined) return { get: (_, read) => read() }
  const known = new LRUCache<string, Known>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }, key) => 2 * (body.text.length + key.length) + 500,
  })
  const state = () => tables.reduce((sum, table) => sum + changesOf(table), 0)
  return {
    async get(key, read) {
      const before = state()
      const found = known.get(key)
      if (found?.state === before) return found.body
      const body = await read()
      if (state() === before) known.set(key, { body, state: before })
      return body
    },
  }
}
