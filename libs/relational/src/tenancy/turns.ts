// Serializes changes of a project, for rules that no constraint ensures: a free name, or the next version number. Changes queue
// within the process before they take a connection: otherwise a burst of one project, waiting for a row lock, would hold the
// whole pool and block key lookups of all projects.
import { AppError } from '@svc-server/errors'

/** Maximum waiting changes of one project, behind the running one. */
const maxWaiting = 100

interface Queue {
  last: Promise<unknown>
  size: number
}

const queues = new WeakMap<object, Map<string, Queue>>()

/** Runs the work after all earlier work under this key. Throws `overloaded` when too many wait. */
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
