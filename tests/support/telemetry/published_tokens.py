"""A made-up token for each gitleaks rule, by the rule's name in `config/gitleaks.toml`.

Samples are made when they are asked for, so that no scanner takes this repository for a leak:
`<h40>` stands for 40 hexadecimal digits, `d` for digits, `l` for small letters, `a` for those and
digits, `A` for capitals and digits, `b` for what bech32 has, `w` for letters and digits, `s` for
these and a hyphen now and then, `<u>` for a UUID.
"""

from __future__ import annotations

import random
import re
import string
import uuid
from typing import NamedTuple

_ALPHABETS = {
    "h": "0123456789abcdef",
    "d": string.digits,
    "l": string.ascii_lowercase,
    "a": string.ascii_lowercase + string.digits,
    "A": string.ascii_uppercase + "234567",
    "b": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "w": string.ascii_letters + string.digits,
    "s": (string.ascii_letters + string.digits) * 8 + "-_",
}
_PLACE = re.compile(r"<(?:([hdlaAbws])(\d+)|u)>")

_NAMES = {
    "defined-networking-api-token": "DNKEY",
    "dropbox-long-lived-api-token": "DROPBOX_TOKEN",
    "dropbox-short-lived-api-token": "DROPBOX_TOKEN",
}
CONTEXTS = {
    "curl-auth-header": 'curl -H "Authorization: Bearer <w32>" https://a.example',
    "curl-auth-user": "curl -u 'bob:<w20>' https://a.example",
    "freemius-secret-key": "'secret_key' => 'sk_<w29>'",
    "generic-api-key": "api_key = '<w40>'",
    "gitlab-session-cookie": "Cookie: _gitlab_session=<h32>",
    "hashicorp-tf-password": 'administrator_login_password = "<a16>"',
    "kubernetes-secret-yaml": "kind: Secret\ndata:\n  login: <w32>",
    "microsoft-teams-webhook": (
        "https://a.webhook.office.com/webhookb2/<u>@<u>/IncomingWebhook/<h32>/<u>"
    ),
    "nuget-config-password": '<add key="ClearTextPassword" value="<w20>" />',
    "private-key": "-----BEGIN RSA PRIVATE KEY-----\n<w64>\n-----END RSA PRIVATE KEY-----",
    "sidekiq-secret": "BUNDLE_GEMS__CONTRIBSYS__COM=<h8>:<h8>",
    "sidekiq-sensitive-url": "https://<h8>:<h8>@gems.contribsys.com/",
    "slack-webhook-url": "https://hooks.slack.com/services/T<A10>/B<A10>/<w24>",
    "sonar-api-token": "SONAR_TOKEN=squ_<h40>",
}
"""Texts of rules that look at what stands around a secret."""

VALUES = dict(
    line.split()
    for line in """
1password-secret-key A3-<A6>-<A11>-<A5>-<A5>-<A5>
1password-service-account-token ops_eyJ<w260>
adafruit-api-key <a32>
adobe-client-id <h32>
adobe-client-secret p8e-<a32>
age-secret-key AGE-SECRET-KEY-1<b58>
airtable-api-key <a17>
airtable-personnal-access-token pat<w14>.<h64>
algolia-api-key <a32>
alibaba-access-key-id LTAI<a20>
alibaba-secret-key <a30>
anthropic-admin-api-key sk-ant-admin01-<s93>AA
anthropic-api-key sk-ant-api03-<s93>AA
artifactory-api-key AKCp<w69>
artifactory-reference-token cmVmdGtuOj<w54>
asana-client-id <d16>
asana-client-secret <a32>
atlassian-api-token ATATT3<w186>
authress-service-client-access-key authress_<a12>.<a5>.acc_<a16>.<a40>
aws-access-token AKIA<A16>
aws-amazon-bedrock-api-key-long-lived ABSK<w120>
aws-amazon-bedrock-api-key-short-lived bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t<w40>
azure-ad-client-secret <w3>8Q~<w34>
beamer-api-token b_<a44>
bitbucket-client-id <a32>
bitbucket-client-secret <a64>
bittrex-access-key <a32>
bittrex-secret-key <a32>
cisco-meraki-api-key <h40>
clickhouse-cloud-api-secret-key 4b1d<w38>
clojars-api-token CLOJARS_<a60>
cloudflare-api-key <a40>
cloudflare-global-api-key <h37>
cloudflare-origin-ca-key v1.0-<h24>-<h146>
codecov-access-token <a32>
cohere-api-token <w40>
coinbase-access-token <a64>
confluent-access-token <a16>
confluent-secret-key <a64>
contentful-delivery-api-token <a43>
databricks-api-token dapi<h32>
datadog-access-token <a40>
defined-networking-api-token dnkey-<a26>-<a52>
digitalocean-access-token doo_v1_<h64>
digitalocean-pat dop_v1_<h64>
digitalocean-refresh-token dor_v1_<h64>
discord-api-token <h64>
discord-client-id <d18>
discord-client-secret <a32>
doppler-api-token dp.pt.<a43>
droneci-access-token <a32>
dropbox-api-token <a15>
dropbox-long-lived-api-token <a11>AAAAAAAAAA<a43>
dropbox-short-lived-api-token sl.<a135>
duffel-api-token duffel_test_<a43>
dynatrace-api-token dt0c01.<a24>.<a64>
easypost-api-token EZAK<a54>
easypost-test-api-token EZTK<a54>
etsy-access-token <a24>
facebook-access-token <d16>|<a30>
facebook-page-access-token EAAM<a120>
facebook-secret <h32>
fastly-api-token <a32>
finicity-api-token <h32>
finicity-client-secret <a20>
finnhub-access-token <a20>
flickr-access-token <a32>
flutterwave-encryption-key FLWSECK_TEST-<h12>
flutterwave-public-key FLWPUBK_TEST-<h32>-X
flutterwave-secret-key FLWSECK_TEST-<h32>-X
flyio-access-token fm2_<w120>
frameio-api-token fio-u-<a64>
freshbooks-access-token <a64>
gcp-api-key AIza<s35>
github-app-token ghs_<w36>
github-fine-grained-pat github_pat_<w22>_<w59>
github-oauth gho_<w36>
github-pat ghp_<w36>
github-refresh-token ghr_<w36>
gitlab-cicd-job-token glcbt-<w2>_<s20>
gitlab-deploy-token gldt-<s20>
gitlab-feature-flag-client-token glffct-<s20>
gitlab-feed-token glft-<s20>
gitlab-incoming-mail-token glimt-<s25>
gitlab-kubernetes-agent-token glagent-<s50>
gitlab-oauth-app-secret gloas-<s64>
gitlab-pat glpat-<s20>
gitlab-pat-routable glpat-<s27>.<a9>
gitlab-ptt glptt-<h40>
gitlab-rrt GR1348941<s20>
gitlab-runner-authentication-token glrt-<s20>
gitlab-runner-authentication-token-routable glrt-t1_<s27>.<a9>
gitlab-scim-token glsoat-<s20>
gitter-access-token <a40>
gocardless-api-token live_<a40>
grafana-api-key eyJrIjoi<w80>
grafana-cloud-api-token glc_<w80>
grafana-service-account-token glsa_<w32>_<h8>
harness-api-key pat.<w22>.<w24>.<w20>
hashicorp-tf-api-token <a14>.atlasv1.<a67>
heroku-api-key <u>
heroku-api-key-v2 HRKU-AA<s58>
hubspot-api-key <u>
huggingface-access-token hf_<l34>
huggingface-organization-api-token api_org_<l34>
infracost-api-token ico-<w32>
intercom-api-key <a60>
intra42-client-secret s-s4t2ud-<h64>
jfrog-api-key <a73>
jfrog-identity-token <a64>
jwt eyJ<w30>.eyJ<w40>.<s43>
jwt-base64 ZXlKaGJHY2lPaU<w80>
kraken-access-token <a85>
kucoin-access-token <h24>
kucoin-secret-key <u>
launchdarkly-access-token <a40>
linear-api-key lin_api_<a40>
linear-client-secret <h32>
linkedin-client-id <a14>
linkedin-client-secret <a16>
lob-api-key live_<h35>
lob-pub-api-key live_pub_<h31>
looker-client-id <a20>
looker-client-secret <a24>
mailchimp-api-key <h32>-us12
mailgun-private-api-token key-<h32>
mailgun-pub-key pubkey-<h32>
mailgun-signing-key <h32>-<h8>-<h8>
mapbox-api-token pk.<a60>.<a22>
mattermost-access-token <a26>
maxmind-license-key <w6>_<w29>_mmk
messagebird-api-token <a25>
messagebird-client-id <u>
netlify-access-token <a43>
new-relic-browser-api-token NRJS-<h19>
new-relic-insert-key NRII-<a32>
new-relic-user-api-id <a64>
new-relic-user-api-key NRAK-<a27>
notion-api-token ntn_<d11><w35>
npm-access-token npm_<w36>
nytimes-access-token <a32>
octopus-deploy-api-key API-<A26>
okta-access-token 00<w40>
openai-api-key sk-proj-<s74>T3BlbkFJ<s74>
openshift-user-token sha256~<s43>
perplexity-api-key pplx-<w48>
plaid-api-token access-sandbox-<u>
plaid-client-id <a24>
plaid-secret-key <a30>
planetscale-api-token pscale_tkn_<s43>
planetscale-oauth-token pscale_oauth_<s43>
planetscale-password pscale_pw_<s43>
postman-api-token PMAK-<h24>-<h34>
prefect-api-token pnu_<w36>
privateai-api-token <a32>
pulumi-api-token pul-<h40>
pypi-upload-token pypi-AgEIcHlwaS5vcmc<s80>
rapidapi-access-token <a50>
readme-api-token rdme_<a70>
rubygems-api-token rubygems_<h48>
scalingo-api-token tk-us-<s48>
sendbird-access-id <u>
sendbird-access-token <h40>
sendgrid-api-token SG.<w22>.<w43>
sendinblue-api-token xkeysib-<h64>-<a16>
sentry-access-token <h64>
sentry-org-token sntrys_eyJpYXQiO<w24>LCJyZWdpb25fdXJs<w40>_<w43>
sentry-user-token sntryu_<h64>
settlemint-application-access-token sm_aat_<w16>
settlemint-personal-access-token sm_pat_<w16>
settlemint-service-access-token sm_sat_<w16>
shippo-api-token shippo_live_<h40>
shopify-access-token shpat_<h32>
shopify-custom-access-token shpca_<h32>
shopify-private-app-access-token shppa_<h32>
shopify-shared-secret shpss_<h32>
slack-app-token xapp-1-<A11>-<d13>-<h64>
slack-bot-token xoxb-<d12>-<d12>-<w24>
slack-config-access-token xoxe.xoxp-1-<A163>
slack-config-refresh-token xoxe-1-<A146>
slack-legacy-bot-token xoxb-<d12>-<w24>
slack-legacy-token xoxs-<d10>-<d10>-<d10>-<h10>
slack-legacy-workspace-token xoxa-2-<w40>
slack-user-token xoxp-<d12>-<d12>-<d12>-<w32>
snyk-api-token <u>
sourcegraph-access-token sgp_<h16>_<h40>
square-access-token sq0atp-<s22>
squarespace-access-token <u>
stripe-access-token sk_live_<w24>
sumologic-access-id su<w12>
sumologic-access-token <a64>
telegram-bot-api-token 1234567<d3>:AA<s33>
travisci-access-token <a22>
twilio-api-key SK<h32>
twitch-api-token <a30>
twitter-access-secret <a45>
twitter-access-token <d19>-<w30>
twitter-api-key <a25>
twitter-api-secret <a50>
twitter-bearer-token AAAAAAAAAAAAAAAAAAAAAA<w90>
typeform-api-token tfp_<s59>
vault-batch-token hvb.<s150>
vault-service-token hvs.<s95>
yandex-access-token t1.<w20>.<s86>
yandex-api-key AQVN<s36>
yandex-aws-access-token YC<s38>
zendesk-secret-key <a40>
""".strip().splitlines()
)
"""What the secrets of the other rules are, wherever they stand."""


class Sample(NamedTuple):
    """A text with secrets, and the random parts of these."""

    text: str
    secrets: list[str]


def sample(template: str) -> Sample:
    """Fill in `template`; the same each time, as a test and a page have it."""
    dice = random.Random(template)
    secrets: list[str] = []

    def fill(place: re.Match[str]) -> str:
        kind, count = place.groups()
        if kind is None:
            made = str(uuid.UUID(int=dice.getrandbits(128), version=4))
        else:
            made = "".join(dice.choices(_ALPHABETS[kind], k=int(count)))
        secrets.append(made)
        return made

    return Sample(_PLACE.sub(fill, template), secrets)


def name_of(rule: str) -> str:
    """Return the usual variable of the secret of `rule`: `ADAFRUIT_API_KEY`."""
    return _NAMES.get(rule, rule.upper().replace("-", "_"))
