// Pins packages from npm to their tested contents. This repository contains the checksums of the packages, so npm refuses a package that
// has changed in the registry.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** @typedef {{ name: string, version: string, integrity: string }} Pinned */

/**
 * Writes a manifest and a lockfile that name exactly these packages with their checksums, so that `npm install` refuses bytes that differ
 * (EINTEGRITY). The packages must not have dependencies.
 * @param {string} directory
 * @param {readonly Pinned[]} packages
 */
export function pin(directory, packages) {
  const dependencies = Object.fromEntries(packages.map(({ name, version }) => [name, version]))
  const root = { name: 'pinned', version: '0.0.0', dependencies }
  const locked = packages.map(({ name, version, integrity }) => [`node_modules/${name}`, { version, integrity }])
  const lock = { ...root, lockfileVersion: 3, requires: true, packages: { '': root, ...Object.fromEntries(locked) } }
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ ...root, private: true }))
  writeFileSync(join(directory, 'package-lock.json'), JSON.stringify(lock))
}
