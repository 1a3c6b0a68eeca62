"""Tests of the model catalogue."""


def test_models_come_with_prices_and_a_default(client):
    catalogue = client.list_models()
    ids = [model.id for model in catalogue.models]
    assert catalogue.default_model_id in ids
    assert "sandbox/script" in ids
    for model in catalogue.models:
        assert model.label and model.provider and model.vendor_model_id
        assert model.source in ("workspace_provider", "platform_offering")
        assert model.context_window_tokens > 0
        assert model.pricing.inputPer1MUsd > 0 and model.pricing.outputPer1MUsd > 0


def test_both_clients_read_the_same_catalogue(client, with_async_client):
    async def read(async_client):
        return await async_client.list_models()

    assert with_async_client(read) == client.list_models()
