// Installs the browser for the tests of the web app, if this process is allowed to install system packages.
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const isOnPath = (env, programs) => (env.PATH ?? '').split(delimiter).some(folder => programs.some(name => isProgram(join(folder, name))))

const installMinutes = 5

/** Installs Chromium with apt if this process has the rights. Prints its progress and failures. Never throws. */
export function ensureBrowser(env = process.env, say = text => process.stderr.write(`${text}\n`)) {
  if (env.SVC_CHROMIUM !== undefined || isOnPath(env, names)) return
  const mayInstall = process.platform === 'linux' && process.getuid?.() === 0 && isOnPath(env, ['apt-get'])
  const byHand = 'The tests of the web app will fail: install Chromium, or set SVC_CHROMIUM to the path of an installed one.'
  if (!mayInstall)
    return say(`Chromium is not installed and cannot be installed automatically, because that needs root and apt-get. ${byHand}`)
  say('Installing Chromium for the tests of the web app: about 125 MB to download.')
  const quiet = { ...env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    const { status, stderr, error } = spawnSync('apt-get', args, { env: quiet, encoding: 'utf8', timeout: installMinutes * 60_000 })
    if (status !== 0) return say(`apt-get ${args[0]} failed: ${error?.message ?? stderr.slice(-2000)}\n${byHand}`)
  }
  say('  Chromium: done')
}
