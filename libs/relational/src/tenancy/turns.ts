// Runs the changes of a project one after the other, for rules that no constraint enforces, such as unique names or consecutive version
// numbers. A change waits before it takes a connection. Otherwise, many changes of one project could occupy all connections of the pool
// while they wait for a row lock, and the key lookups of all projects would be blocked.
import { AppError } from '@svc-server/errors'

/** Maximum number of changes of one project that wait for the running change. */
const maxWaiting = 100

interface Queue {
  last: Promise<unknown>
  size: number
}

const queues = new WeakMap<object, Map<string, Queue>>()

/** Runs the work after all earlier work that has the same key. Throws `overloaded` if too many changes are waiting. */
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
