// The web app's entry: styles, theme, keys, then the router.
import './design/tokens.css'
import './design/base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { queries } from './api/queries.ts'
import { startTheme } from './design/theme.ts'
import { listenToKeys } from './keys/keys.ts'
import { router } from './router.tsx'

startTheme()
listenToKeys()
createRoot(document.getElementById('app')!).render(
  <QueryClientProvider client={queries}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
)
