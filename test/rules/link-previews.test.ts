import { expect, test } from 'vitest'
import { isLinkPreview } from '../../src/rules/link-previews.ts'

const jobs = [
  'curl/8.7.1',
  'Wget/1.21.4',
  'wget (busybox)',
  'python-requests/2.32.3',
  'Python-urllib/3.12',
  'python-httpx/0.27.0',
  'aiohttp/3.9.5',
  'Go-http-client/1.1',
  'Go-http-client/2.0',
  'okhttp/4.12.0',
  'Java-http-client/21.0.2',
  'Apache-HttpClient/5.3 (Java/17)',
  'node',
  'undici',
  'axios/1.7.2',
  'got (https://github.com/sindresorhus/got)',
  'GuzzleHttp/7',
  'Faraday v2.9.0',
  'Ruby',
  'reqwest/0.12.4',
  'Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.22621.2506',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  'PostmanRuntime/7.39.0',
  'HTTPie/3.2.2',
  'Amazon-EventBridge-ApiDestinations',
  'Google-Cloud-Scheduler',
  'Kubernetes-CronJob backup-robot/2',
  'nightly-bot/1.0',
  'healthchecks-io/crawler-of-our-shop',
  '',
]
test.each(jobs)('the ping of a job counts: %j', (userAgent) => {
  expect(isLinkPreview(userAgent)).toBe(false)
})

const previews = [
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Slack-ImgProxy (+https://api.slack.com/robots)',
  'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  'TelegramBot (like TwitterBot)',
  'WhatsApp/2.23.20.0',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Twitterbot/1.0',
  'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'Mattermost-Bot/1.1',
  'Iframely/1.3.1 (+https://iframely.com/docs/about)',
]
test.each(previews)('who looks at a link does not ping: %j', (userAgent) => {
  expect(isLinkPreview(userAgent)).toBe(true)
})
