// Counts the samples of a CPU profile, separately for each part of the propagator. Each sample counts for one part. To find this part,
// `cpuByPart` searches the sample's stack frames from the innermost outward, and takes the part of the first frame that `parts` lists.
import type { Profiler } from 'node:inspector'

const parts: readonly (readonly [file: string, part: string])[] = [
  ['staging-propagator/src/partition/filled-record.ts', 'filled records'],
  ['staging-propagator/src/windows/decisions.ts', 'decisions, records of traces'],
  ['staging-propagator/src/windows/window.ts', 'fold into the window'],
  ['staging-propagator/src/reading/', 'hand over to the thread'],
  ['libs/fairness/src/worker-pool.ts', 'hand over to the thread'],
  ['per_context/messageport', 'hand over to the thread'],
  ['internal/worker', 'hand over to the thread'],
  ['staging-propagator/src/state/table.ts', 'state, lookups'],
  ['staging-propagator/src/state/trace-state.ts', 'state, lookups'],
  ['staging-propagator/src/state/', 'state, catching up'],
  ['libs/log/src/embedded/fetch.ts', 'log, reading'],
  ['libs/log/src/embedded/', 'log, appending'],
  ['/lmdb/', 'lmdb'],
  ['staging-propagator/src/', 'propagator, the rest'],
]

/** Several parts call the code of these files. The time of a sample in this code therefore counts for the part that called the code. */
const shared = ['embedded/record-batch.ts', 'embedded/store.ts']

const ofFunction = new Map([
  ['(garbage collector)', 'garbage collector'],
  ['(program)', 'native'],
])

/** Returns the CPU time of each part, largest first. `cpuMs` is the CPU time of the profiled thread. */
export function cpuByPart({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile, cpuMs: number): Map<string, number> {
  const parents = new Map<number, Profiler.ProfileNode>()
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node)
  const partOf = new Map<number, string | null>()
  for (const node of nodes) {
    let part = node.callFrame.functionName === '(idle)' ? null : (ofFunction.get(node.callFrame.functionName) ?? 'others')
    for (let at: Profiler.ProfileNode | undefined = node; at !== undefined; at = parents.get(at.id)) {
      const { url } = at.callFrame
      const found = shared.some(file => url.includes(file)) ? undefined : parts.find(([file]) => url.includes(file))
      if (found === undefined) continue
      part = found[1]
      break
    }
    partOf.set(node.id, part)
  }
  const sums = new Map<string, number>()
  let sum = 0
  for (const [index, id] of samples.entries()) {
    const part = partOf.get(id)
    if (part === null || part === undefined) continue
    const weight = timeDeltas[index]!
    sums.set(part, (sums.get(part) ?? 0) + weight)
    sum += weight
  }
  return new Map([...sums].map(([part, weight]) => [part, (weight / sum) * cpuMs] as const).sort((a, b) => b[1] - a[1]))
}
