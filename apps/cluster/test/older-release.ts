// Starts the programs of an earlier commit of this repository. The programs use the packages that are installed for the current commit.
import { execFile } from 'node:child_process'
import { existsSync, globSync, lstatSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { temporaryDirectory } from '@svc-server/testkit'

const root = join(import.meta.dirname, '../../..')
const run = promisify(execFile)

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
}

export interface OlderRelease {
  program(path: string): string | undefined
  remove(): Promise<void>
}

/** Returns the release before the commit that created the file with the path `added`. */
export async function openReleaseBefore(added: string): Promise<OlderRelease> {
  const git = async (...args: readonly string[]) => (await run('git', args, { cwd: root })).stdout.trim()
  const commit = (await git('log', '--diff-filter=A', '--format=%H', '--', added)).split('\n').at(-1)
  if (!commit) throw new Error('This checkout lacks the commit of the earlier release: clone the repository with its whole history.')
  const directory = await temporaryDirectory('svc-older-')
  const { path } = directory
  await run('/bin/sh', ['-c', 'git archive "$0^" | tar -x -C "$1"', commit, path], { cwd: root })
  link(join(root, 'node_modules'), join(path, 'node_modules'))
  const packages = packagesOf(path)
  for (const [folder, { dependencies = {} }] of packages) {
    for (const [name, version] of Object.entries(dependencies)) {
      const own = [...packages].find(([, manifest]) => manifest.name === name)?.[0]
      const target = version.startsWith('workspace:') ? join(path, own!) : installed(folder, name)
      link(target, join(path, folder, 'node_modules', name))
    }
  }
  return {
    program: script => (existsSync(join(path, script)) ? pathToFileURL(join(path, script)).href : undefined),
    remove: () => directory.remove(),
  }
}

const packagesOf = (directory: string): ReadonlyMap<string, Manifest> =>
  new Map(
    globSync('{apps,libs,packages,services}/*/package.json', { cwd: directory }).map(path => [
      dirname(path),
      JSON.parse(readFileSync(join(directory, path), 'utf8')) as Manifest,
    ]),
  )

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

/**
 * Returns the folder in which a package is installed. If `folder` no longer has this package, the function searches the other folders of
 * the current commit.
 */
function installed(folder: string, name: string): string {
  const places = [folder, ...packagesOf(root).keys()].map(each => join(root, each, 'node_modules', name))
  const found = places.find(each => lstatSync(each, { throwIfNoEntry: false }) !== undefined)
  if (found === undefined) throw new Error(`${name} of ${folder} is not installed any more.`)
  return realpathSync(found)
}
