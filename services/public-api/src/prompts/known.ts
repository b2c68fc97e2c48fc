// A cache of responses to reads of prompts, valid while no prompt changes. It exists only for an embedded store, which only this process
// writes: a query takes a millisecond there, and applications read prompts with every request. Other processes write to a server store, so
// each read queries it.
import type { RelationalStore } from '@svc-server/relational/store'
import { LRUCache } from 'lru-cache'

const maxBytes = 32_000_000

/** Tables from which the responses are read. */
const tables = ['prompts', 'projects', 'organizations']

/** A prompt as JSON. */
interface PromptText {
  readonly text: string
}

interface Known {
  readonly body: PromptText
  /** The store's change counter when the body was read. */
  readonly state: number
}

export interface KnownPrompts {
  /** The response under this key, or what `read` returns. A read that begins after the response to a change sees that change. */
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
