// Starts Chromium for page tests, and opens pages. A page records its errors.
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, chromium, type Page } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export function chromiumPath(env: NodeJS.ProcessEnv): string {
  const named = env['SVC_CHROMIUM']
  if (named !== undefined) {
    if (isProgram(named)) return named
    throw new Error(`SVC_CHROMIUM: there is no program at ${named}.`)
  }
  const folders = (env['PATH'] ?? '').split(delimiter)
  const found = folders.flatMap(folder => names.map(name => join(folder, name))).find(isProgram)
  if (found !== undefined) return found
  throw new Error(
    'The tests of the web app need Chromium, and PATH has none: install it (apt-get install -y --no-install-recommends chromium), or set SVC_CHROMIUM to its path.',
  )
}

export const openBrowser = (): Promise<Browser> =>
  // Chromium's sandbox does not work for the root user. The tests need no sandbox, because they open only the app itself.
  chromium.launch({ executablePath: chromiumPath(process.env), args: ['--no-sandbox', '--disable-dev-shm-usage'] })

export interface WatchedPage extends AsyncDisposable {
  readonly page: Page
  /** Console errors, violations of the content security policy, failed requests, and requests to another origin. */
  readonly complaints: readonly string[]
  readonly loaded: Set<string>
}

interface Look {
  readonly theme?: 'light' | 'dark'
  /** Time zone of the browser, as an IANA name. */
  readonly zone?: string
  /** Console errors that the test expects, such as a refused sign-in. */
  readonly expected?: RegExp
}

export async function openPage(
  browser: Browser,
  baseUrl: string,
  { theme = 'light', zone, expected = /^$/ }: Look = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    ...{ baseURL: baseUrl, colorScheme: theme, viewport: { width: 1440, height: 900 } },
    ...(zone !== undefined && { timezoneId: zone }),
  })
  const page = await context.newPage()
  const complaints: string[] = []
  const complain = (what: string) => void (expected.test(what) || complaints.push(what))
  const loaded = new Set<string>()
  page.on('console', message => message.type() === 'error' && complain(`${message.text()} (${message.location().url})`))
  page.on('pageerror', error => complain(error.stack ?? error.message))
  page.on('request', request => {
    const url = request.url()
    if (!url.startsWith(baseUrl) && !/^(?:data|blob):/.test(url)) complain(`A request to another origin: ${url}`)
    if (/\.(?:js|css)$/.test(url)) loaded.add(url)
  })
  // The script is a string, because TypeScript has no DOM types in this file.
  await page.addInitScript({
    content:
      "document.addEventListener('securitypolicyviolation', event => console.error('CSP:', event.violatedDirective, event.blockedURI))",
  })
  return {
    page,
    complaints,
    loaded,
    [Symbol.asyncDispose]: () => context.close(),
  }
}

/** Returns the total size of the files. Requests the files again, because the browser discards the responses of an earlier page. */
export async function kilobytes(page: Page, addresses: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    addresses.map(async address => gzipSync(await (await page.request.get(address, { timeout: 60_000 })).body()).length),
  )
  return sizes.reduce((sum, size) => sum + size, 0) / 1_024
}

/**
 * Returns the problems that Axe finds. In its default mode, Axe opens a new page for each result. The legacy mode runs inside the page, but
 * supports only pages without frames.
 */
export async function violations(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  // Before the app has rendered its page, Axe would report that the page has no heading.
  await page.locator('h1').first().waitFor({ state: 'attached' })
  const axe = new AxeBuilder({ page }).setLegacyMode()
  const { violations: found } = await (rules === undefined ? axe : axe.withRules([...rules])).analyze()
  return found.map(({ id, nodes }) => `${id} ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' ')}`)
}
