// Runs the npm of the installed Node, for tests that install packages from the registry.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Runs `npm install` in a folder. Throws if npm fails. */
export function npmInstall(cwd: string, further: readonly string[]): void {
  const npm = join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js')
  const [command, ...args] = existsSync(npm) ? [process.execPath, npm] : ['npm']
  execFileSync(command!, [...args, 'install', '--no-audit', '--no-fund', ...further], { cwd, stdio: 'pipe', encoding: 'utf8' })
}
