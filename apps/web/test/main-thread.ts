// Uses Chromium's tracing to record the tasks of a page's main thread. Tasks are measured in CPU time, because their wall time depends on
// the load of the machine.
import type { Browser, Page } from 'playwright-core'

export interface Task {
  readonly cpuMs: number
  readonly ms: number
  readonly parts: string
}

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur?: number
  readonly tdur?: number
  readonly args: {
    readonly name?: string
    readonly data?: { readonly url?: string; readonly functionName?: string; readonly type?: string }
  }
}

const categories = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'toplevel', 'v8']
/** These events occur only in tasks in which the browser sets up a new document. Such a task runs no script of the page. */
const ofBrowser = new Set(['LocalWindowProxy::Initialize', 'CpuProfiler::StartProfiling'])
/** The test's own scripts have no URL. */
const isOfTest = ({ name, args }: TraceEvent) => (name === 'FunctionCall' || name === 'EvaluateScript') && (args.data?.url ?? '') === ''

/** Calls `run`. Returns the page's tasks of more than `leastMs`, longest first. The time of the test's own scripts is not included. */
export async function tasksOf(browser: Browser, page: Page, leastMs: number, run: () => Promise<void>): Promise<readonly Task[]> {
  await browser.startTracing(page, { categories })
  let traced: Buffer
  try {
    await run()
  } finally {
    traced = await browser.stopTracing()
  }
  const { traceEvents: events } = JSON.parse(traced.toString()) as { readonly traceEvents: readonly TraceEvent[] }
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}:${tid}`
  const mains = new Set(events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(threadOf))
  const onMain = events.filter(event => event.dur !== undefined && mains.has(threadOf(event)))
  const long = onMain.filter(({ name, tdur = 0 }) => name === 'RunTask' && tdur > leastMs * 1_000)
  return long
    .flatMap(task => {
      const inside = onMain.filter(each => each !== task && each.ts >= task.ts && each.ts + each.dur! <= task.ts + task.dur!)
      if (inside.some(({ name }) => ofBrowser.has(name))) return []
      const ofTest = inside.filter(isOfTest).reduce((most, { tdur = 0 }) => Math.max(most, tdur), 0)
      const cpuMs = Math.round(((task.tdur ?? 0) - ofTest) / 1_000)
      return cpuMs <= leastMs ? [] : [{ cpuMs, ms: Math.round(task.dur! / 1_000), parts: partsOf(inside) }]
    })
    .sort((a, b) => b.cpuMs - a.cpuMs)
}

function partsOf(inside: readonly TraceEvent[]): string {
  const longest = inside
    .filter(({ name, tdur = 0 }) => tdur > 3_000 && !/RunTask/.test(name))
    .sort((a, b) => b.tdur! - a.tdur!)
    .slice(0, 6)
  return longest
    .map(({ name, tdur, args: { data } }) => {
      const what = [data?.type, data?.functionName, data?.url?.split('/').pop()].filter(Boolean).join(' ')
      return `${name}${what === '' ? '' : ` (${what})`} ${Math.round(tdur! / 1_000)}`
    })
    .join(', ')
}
