// Divides long reads into slices and yields to the event loop between them. In each iteration of the event loop, only one waiting reader
// continues, so that slices of several readers do not add up to a long pause. With setImmediate alone, all waiting readers would continue
// in the same event-loop iteration.
const waiting: (() => void)[] = []

function resume(): void {
  const next = waiting.shift()
  if (waiting.length > 0) setImmediate(resume)
  next?.()
}

/** Maximum duration of one slice of reading. */
export const sliceMs = 3

/** Resolves in an iteration of the event loop in which no other reader continues. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(resume)
  })
}
