// In a fresh checkout, several test suites build the web app at the same time. Each suite must get a complete app.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const web = resolve(import.meta.dirname, '../../../bootstrap/web.mjs')

/** A stub of the build program. Of the test's two builds, `slow` ends only after the result of `fast` is in the final folder. */
const builder = `#!/bin/sh
while [ "$1" != --outDir ]; do shift; done
mkdir -p "$2" && echo "$ROLE" > "$2/app.js" && touch "$CACHE/started.$ROLE"
while [ ! -e "$CACHE/started.$WAITS_FOR" ]; do sleep 0.05; done
if [ "$ROLE" = slow ]; then while [ ! -e "\${2%.*}/index.html" ]; do sleep 0.05; done; while [ ! -e "$CACHE/ended.fast" ]; do sleep 0.05; done; fi
echo "$ROLE" > "$2/index.html"
`

test('of two concurrent builds, only the one that ended first remains, and it is complete', async () => {
  const root = mkdtempSync(join(tmpdir(), 'svc-build-'))
  try {
    mkdirSync(join(root, '.cache/web'), { recursive: true })
    const program = join(root, 'builder')
    writeFileSync(program, builder, { mode: 0o755 })
    const build = async (role: string, other: string) => {
      const script = `import { ensureWebApp } from ${JSON.stringify(web)}; console.log(await ensureWebApp(...process.argv.slice(1)))`
      const env = { ...process.env, ROLE: role, WAITS_FOR: other, CACHE: join(root, '.cache') }
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script, root, program], { env })
      writeFileSync(join(root, `.cache/ended.${role}`), '')
      return stdout.trim()
    }
    const [fast, slow] = await Promise.all([build('fast', 'slow'), build('slow', 'fast')])
    expect(slow).toBe(fast)
    expect(readdirSync(join(root, '.cache/web')).map(name => join(root, '.cache/web', name))).toEqual([fast])
    expect(['app.js', 'index.html'].map(name => readFileSync(join(fast, name), 'utf8'))).toEqual(['fast\n', 'fast\n'])
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}, 60_000)
