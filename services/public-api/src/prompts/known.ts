// Caches the responses to reads of prompts, until a prompt changes. Applications read prompts with every request, and without the cache,
// each read would cost a query of 1 ms. The cache works only with an embedded store. On a PostgreSQL server, this process would not notice
// the changes of other processes.
import type { RelationalStore } from '@svc-server/relational/store'
import { LRUCache } from 'lru-cache'

const maxBytes = 32_000_000

const tables = ['prompts', 'projects', 'organizations']

interface PromptText {
  readonly text: string
}

interface Known {
  readonly body: PromptText
  readonly state: number
}

export interface KnownPrompts {
  /** Returns the response from the cache, or calls `read`. After the API has responded to a change, `get` returns the changed prompt. */
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
