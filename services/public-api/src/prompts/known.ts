// A cache of responses to reads of prompts. A cached response is valid until a prompt changes. Only a process with an embedded store has
// this cache, because no other process writes to an embedded store. Without the cache, a read of a prompt would cost a query of 1 ms, and
// applications read prompts with every request. With a PostgreSQL server, each read queries the server, because other processes can write
// to it.
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
  /** The value of the store's change counter when the body was read. */
  readonly state: number
}

export interface KnownPrompts {
  /**
   * Returns the cached response for the given key, or the result of `read`. A read that begins after the API has responded to a change
   * returns the changed prompt.
   */
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
