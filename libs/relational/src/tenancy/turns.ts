// Runs the changes of a project one after the other. A change waits before it takes a connection. Otherwise, changes of one project that
// wait for a row lock could occupy all connections and block the key lookups of all projects.
import { AppError } from '@svc-server/errors'

const maxWaiting = 100

interface Queue {
  last: Promise<unknown>
  size: number
}

const queues = new WeakMap<object, Map<string, Queue>>()

/** Throws `overloaded` if too many changes are waiting. */
export async function inTurn<T>(store: object, key: string, work: () => Promise<T>): Promise<T> {
  const keys = queues.get(store) ?? new Map<string, Queue>()
  queues.set(store, keys)
  const queue = keys.get(key) ?? { last: Promise.resolve(), size: 0 }
  keys.set(key, queue)
  if (queue.size > maxWaiting) throw new AppError('overloaded', 'Too many changes of this project are in progress.')
  queue.size++
  const turn = queue.last.then(work)
  queue.last = turn.catch(() => {})
  try {
    return await turn
  } finally {
    queue.size--
    if (queue.size === 0) keys.delete(key)
  }
}
