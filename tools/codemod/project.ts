// Opens source files with the TypeScript compiler, so that the codemod can ask for the types in these files. This module declares the parts
// of the SDK that the codemod needs, so the SDK need not be installed.
import { ModuleKind, ModuleResolutionKind, Project, type SourceFile, ts } from 'ts-morph'

const declared = `
declare interface SvcApi { readonly [name: string]: any }
declare module '@svc/client' {
  export class SvcClient { constructor(...options: any[]); readonly api: SvcApi; readonly [name: string]: any }
  export const SvcMedia: any, DatasetManager: any, PromptManager: any
}
declare module '@svc/core' { export class SvcAPIClient implements SvcApi { constructor(...options: any[]); readonly [name: string]: any } }
`

/** Puts all files into one program. The codemod then recognizes a client that another file has created. */
export function projectOf(files: Readonly<Record<string, string>>): readonly SourceFile[] {
  const project = new Project({
    useInMemoryFileSystem: true,
    compilerOptions: {
      allowJs: true,
      jsx: ts.JsxEmit.Preserve,
      module: ModuleKind.ESNext,
      moduleResolution: ModuleResolutionKind.Bundler,
      noLib: true,
      types: [],
    },
  })
  project.createSourceFile('/svc-v5.d.ts', declared)
  return Object.entries(files).map(([path, text]) => project.createSourceFile(path, text))
}
