// Loads the web app into memory.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { AppError } from '@svc-server/errors'

export type Encoding = 'br' | 'gzip' | 'identity'

export interface WebFile {
  readonly type: string
  /** Always contains `identity`. */
  readonly bodies: ReadonlyMap<Encoding, Buffer>
}

export interface WebFiles {
  readonly page: string
  /** Files by their path below the app, such as `assets/index-D1wZW5zb.js`. */
  readonly files: ReadonlyMap<string, WebFile>
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}
const suffixes = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** Throws `config_invalid` if the directory contains no build of the web app. */
export function readWebFiles(directory: string): WebFiles {
  const page = join(directory, 'index.html')
  if (!existsSync(page)) {
    const sentence = `SVC_WEB_DIR: ${directory} has no index.html. Build the web app with npm start, or unset SVC_WEB_DIR to serve only the API.`
    throw new AppError('config_invalid', sentence, { variable: 'SVC_WEB_DIR' })
  }
  const assets = join(directory, 'assets')
  const names = existsSync(assets) ? readdirSync(assets) : []
  const present = new Set(names)
  const files = new Map<string, WebFile>()
  for (const name of names) {
    const type = types[extname(name)]
    if (type === undefined) continue
    const bodies = new Map<Encoding, Buffer>([['identity', readFileSync(join(assets, name))]])
    for (const [encoding, suffix] of suffixes) {
      if (present.has(name + suffix)) bodies.set(encoding, readFileSync(join(assets, name + suffix)))
    }
    files.set(`assets/${name}`, { type, bodies })
  }
  return { page: readFileSync(page, 'utf8'), files }
}
