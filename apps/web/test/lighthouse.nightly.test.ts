// Tests the start page with the desktop profile of Lighthouse. The npm packages of the checkout do not include Lighthouse, because
// Lighthouse is large. This suite installs Lighthouse into the folder `.cache`.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chromiumPath, openBrowser, openPage } from './browser.ts'
import { type Instance, startInstance, traceOf } from './instance.ts'

const run = promisify(execFile)
const version = '13.5.0'
const folder = resolve(import.meta.dirname, `../../../.cache/lighthouse-${version}`)
const program = join(folder, 'node_modules/lighthouse/cli/index.js')
const rows = 50
let instance: Instance

beforeAll(async () => {
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    await run('npm', ['install', '--no-save', '--ignore-scripts', `lighthouse@${version}`], { cwd: folder })
  }
  instance = await startInstance()
  await instance.send(Array.from({ length: rows }, (_, at) => traceOf(at)).flat())
  await instance.readable(2 * rows)
})
afterAll(() => instance?.[Symbol.asyncDispose]())

async function session(): Promise<string> {
  await using browser = await openBrowser()
  await using watched = await openPage(browser, instance.url)
  await watched.page.goto(instance.link)
  await watched.page.getByRole('gridcell', { name: 'question 0', exact: true }).waitFor()
  return (await watched.page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
}

interface Report {
  readonly categories: Readonly<Record<'performance' | 'accessibility', { readonly score: number }>>
}

async function reportOf(url: string, cookie: string): Promise<Report> {
  const output = join(folder, `${process.pid}.json`)
  const headers = JSON.stringify({ Cookie: cookie })
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'].join(' ')
  const args = [program, url, '--preset=desktop', '--only-categories=performance,accessibility', '--output=json', '--quiet']
  await run(process.execPath, [...args, `--output-path=${output}`, `--extra-headers=${headers}`, `--chrome-flags=${flags}`], {
    env: { ...process.env, CHROME_PATH: chromiumPath(process.env) },
  })
  return JSON.parse(readFileSync(output, 'utf8')) as Report
}

test('the start page scores 95 or more for performance and 100 for accessibility', async () => {
  const cookie = await session()
  const reports = []
  for (let at = 0; at < 3; at++) reports.push(await reportOf(`${instance.url}/project/default-project/observations`, cookie))
  expect(Math.max(0, ...reports.map(({ categories }) => categories.performance.score))).toBeGreaterThanOrEqual(0.95)
  for (const { categories } of reports) expect(categories.accessibility.score).toBe(1)
})
