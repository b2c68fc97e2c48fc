// The memory of this process that is its own: pages of mapped files are not in it.
import { existsSync, readFileSync } from 'node:fs'

/** Where the system does not tell it, all resident memory. */
export function anonymousMB(): number {
  const found = existsSync('/proc/self/status') ? /RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) : null
  return Math.round(found ? Number(found[1]) / 1024 : process.memoryUsage.rss() / 1024 / 1024)
}
