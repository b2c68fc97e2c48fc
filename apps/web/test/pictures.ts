// `npm run pictures` creates all pictures of the documentation again, from example traces.
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { exampleTraces } from '../src/first-run/examples.ts'
import { openBrowser, openPage } from './browser.ts'
import { startInstance } from './instance.ts'

const directory = resolve(import.meta.dirname, '../../../docs/web/pictures')
const themes = ['light', 'dark'] as const
const project = '/project/default-project'

mkdirSync(directory, { recursive: true })
await using instance = await startInstance()
const browser = await openBrowser()
try {
  await using watched = await openPage(browser, instance.url)
  const { page } = watched
  page.setDefaultTimeout(60_000)
  await page.goto(instance.link)
  await page.getByRole('heading', { name: 'Send your first span' }).waitFor()
  await take(page, 'first-run')
  const { spans } = spansOf(exampleTraces(Date.now()).body)
  await instance.send(spans)
  await instance.readable(Math.min(1_000, spans.length))

  await page.goto(`${project}/observations?t=3h`)
  await page.getByRole('gridcell').first().waitFor()
  await take(page, 'observations')
  await page.goto(`${project}/observations?t=3h&q=name:support&cols=time,name,input,output,latency,cost,metadata.plan`)
  await page.getByText('pro', { exact: true }).first().waitFor()
  for (const key of ['d', 'j', ' ']) await page.keyboard.press(key)
  await page.getByRole('complementary', { name: 'Observation' }).getByRole('heading', { level: 3 }).first().waitFor()
  await take(page, 'what-differs')

  const [first] = tracesBy(spans, true)
  const [second] = tracesBy(spans, false)
  await page.goto(`${project}/traces/${first}`)
  await page.getByRole('region', { name: 'Details' }).getByRole('region', { name: 'Input' }).waitFor()
  await page.getByText('complete', { exact: true }).waitFor()
  await page.keyboard.press('e')
  await page.getByRole('region', { name: 'Details' }).getByRole('heading', { name: 'answer' }).waitFor()
  await page.getByText('I was charged twice for order 88-102.').last().waitFor()
  await take(page, 'trace')
  await page.keyboard.press('c')
  await page.getByText(/ = answer /).waitFor()
  await take(page, 'critical-path')
  await page.goto(`${project}/traces/${first}/compare/${second}`)
  await page.getByRole('region', { name: 'Input' }).waitFor()
  await take(page, 'compare')
  await page.goto(`${project}/sessions/example-1`)
  await page.getByText('Where is my parcel 4711?').first().waitFor()
  await take(page, 'session')
  await page.goto('/system')
  await page.getByRole('heading', { name: 'SDKs that send' }).waitFor()
  await page.getByRole('heading', { name: 'Freshness' }).waitFor()
  await take(page, 'system')
  if (watched.complaints.length > 0) throw new Error(watched.complaints.join('\n'))
} finally {
  await browser.close()
}

async function take(page: Page, name: string): Promise<void> {
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await page.screenshot({ path: `${directory}/${name}-${theme}.png` })
  }
  process.stdout.write(`${name}\n`)
}

interface Span {
  readonly traceId: string
  readonly status: { readonly code?: number }
  readonly parentSpanId?: string
}

function spansOf(body: string): { readonly spans: readonly Span[] } {
  const { resourceSpans } = JSON.parse(body) as {
    readonly resourceSpans: readonly [{ readonly scopeSpans: readonly [{ readonly spans: readonly Span[] }] }]
  }
  return { spans: resourceSpans[0].scopeSpans[0].spans }
}

/** Returns the ids of traces, newest first. */
function tracesBy(spans: readonly Span[], hasFailed: boolean): readonly string[] {
  const found = spans.filter(({ status, parentSpanId }) => (status.code === 2) === hasFailed && parentSpanId === undefined)
  return found.map(({ traceId }) => traceId).toReversed()
}
