/** API routes by operation id, inserted by the build (vite.config.ts). */
declare const apiRoutes: Readonly<Record<string, string>>
