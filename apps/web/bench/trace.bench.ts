// Measures how long a browser takes to open a large trace and to respond to key presses. Flags with their defaults:
// --observations 10000,100000 --characters 4096 --rounds 20. Before the rounds, the bench opens one trace for each value of --observations.
// Each round opens one of these traces again, in turn. The bench compares the heap before the rounds with the heap after the rounds.
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { openBrowser, openPage } from '../test/browser.ts'
import { startInstance } from '../test/instance.ts'
import { sendLarge } from '../test/large-trace.ts'
import { heapMb, keyTimes, openTimes, watchTasks } from '../test/page-times.ts'

const { values } = parseArgs({
  options: {
    observations: { type: 'string', default: '10000,100000' },
    characters: { type: 'string', default: '4096' },
    rounds: { type: 'string', default: '20' },
  },
})
const sizes = values.observations.split(',').map(Number)
const traceIdOf = (at: number) => String(at + 1).repeat(32)

await using instance = await startInstance()
for (const [at, observations] of sizes.entries()) {
  await sendLarge(instance, { traceId: traceIdOf(at), observations, characters: Number(values.characters) })
}
const browser = await openBrowser()
try {
  await using watched = await openPage(browser, instance.url, { expected: /./ })
  const { page } = watched
  await watchTasks(page)
  await page.goto(instance.link)
  await page.waitForURL(/\/project\/[^/]+\//)
  const project = /\/project\/([^/]+)\//.exec(page.url())![1]!
  const traces = []
  for (const [at, observations] of sizes.entries()) {
    await arrived(page, project, traceIdOf(at), observations)
    const opened = await openTimes(page, `/project/${project}/traces/${traceIdOf(at)}`)
    traces.push({ observations, ...opened, keys: await keyTimes(page) })
  }
  const heapBefore = await heapMb(page)
  for (let round = 0; round < Number(values.rounds); round++) {
    await openTimes(page, `/project/${project}/traces/${traceIdOf(round % sizes.length)}`)
  }
  const machine = { cpus: cpus().length, load: Number(loadavg()[0]!.toFixed(1)) }
  process.stdout.write(`${JSON.stringify({ machine, traces, heapBefore, heapAfter: await heapMb(page) }, undefined, 2)}\n`)
} finally {
  await browser.close()
}

async function arrived(page: Page, project: string, traceId: string, count: number): Promise<void> {
  for (;;) {
    const response = await page.request.get(`/api/ui/projects/${project}/where/${traceId}`, {
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    const { stored } = (await response.json()) as { readonly stored?: { readonly observations: number } }
    if (stored?.observations === count) return
    await new Promise(resolve => setTimeout(resolve, 1_000))
  }
}
