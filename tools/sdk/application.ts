// Creates an application for tests and installs the tarballs of the SDK in it. The dependencies of the tarballs are links to the workspace,
// so nothing is downloaded.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { preparedDirectory } from '../../libs/dev-servers/src/prepared/prepared.ts'
import { packSdk, pnpm, sdkFolder, sdkPackages } from './build.ts'

const root = resolve(import.meta.dirname, '../..')

interface PublishedManifest {
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

export interface Application {
  readonly folder: string
  installed(name: string): string
  manifest(name: string): PublishedManifest
  write(file: string, text: string): void
  run(file: string): string
  remove(): void
}

const linked = (path: string): string => `link:${realpathSync(path)}`

function linksOf(name: string): Record<string, string> {
  const modules = join(sdkFolder, name, 'node_modules')
  const names = readdirSync(modules)
    .filter(entry => !entry.startsWith('.') && entry !== '@svc' && !entry.startsWith('published-'))
    .flatMap(entry => (entry.startsWith('@') ? readdirSync(join(modules, entry)).map(each => `${entry}/${each}`) : [entry]))
  return Object.fromEntries(names.filter(each => existsSync(join(modules, each))).map(each => [each, linked(join(modules, each))]))
}

export async function installSdk(beside: readonly string[] = []): Promise<Application> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-sdk-'))
  await preparedDirectory('sdk-tarballs', join(folder, 'tarballs'), packSdk)
  const tarballs = Object.fromEntries(
    readdirSync(join(folder, 'tarballs')).map(file => [
      `@svc/${/^svc-(.*)-\d+\.\d+\.\d+\.tgz$/.exec(file)![1]}`,
      `file:./tarballs/${file}`,
    ]),
  )
  const own = Object.fromEntries(beside.map(name => [name, linked(join(root, 'node_modules', name))]))
  const others: Record<string, string> = Object.assign(own, ...sdkPackages.map(linksOf))
  const types = { '@types/node': linked(join(root, 'node_modules/@types/node')) }
  const manifest = { name: 'application', private: true, dependencies: { ...tarballs, ...others, ...types } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, pnpm: { overrides: { ...tarballs, ...others } } }))
  const args = [pnpm, 'install', '--prefer-offline', '--ignore-workspace', '--strict-peer-dependencies']
  execFileSync(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' })
  const installed = (name: string): string => join(folder, 'node_modules/@svc', name)
  return {
    folder,
    installed,
    manifest: name => JSON.parse(readFileSync(join(installed(name), 'package.json'), 'utf8')) as PublishedManifest,
    write: (file, text) => writeFileSync(join(folder, file), text),
    run: file => execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
