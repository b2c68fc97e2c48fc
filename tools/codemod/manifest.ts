// Updates a package.json to the versions that SDK v6 requires.

const dependencyFields = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']

/** Returns the new text, or undefined if nothing changes. */
export function upgradeManifest(text: string, scope: string | undefined): string | undefined {
  const usesLangChain = ['@svc', scope].some(each => text.includes(`"${each}/langchain"`))
  let changed = text
  for (const field of dependencyFields) {
    changed = changed.replace(new RegExp(`("${field}"\\s*:\\s*\\{)([^}]*)(\\})`), (_, open: string, body: string, close: string) => {
      const moved = scope === undefined ? body : body.replaceAll(`"${scope}/`, '"@svc/')
      const versions = moved.replace(/("@svc\/[a-z]+"\s*:\s*")[^"]*(")/g, '$1^6.0.0$2')
      return open + (usesLangChain ? versions.replace(/("@langchain\/core"\s*:\s*")(?!\^1)[^"]*(")/, '$1^1.0.0$2') : versions) + close
    })
  }
  return changed === text ? undefined : changed
}
